// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Servers and clients for C++17, on top of ugas.hpp. Datagrams and the time go in, datagrams and events come out; sockets
// and clocks belong to the host.
#ifndef UGAS_NET_HPP
#define UGAS_NET_HPP

#include "ugas.hpp"

namespace ugas {
#if UGAS_HAS_EXCEPTIONS
inline namespace throwing {
#else
inline namespace no_exceptions {
#endif

// An authoritative game and its clients. A server is a simulation too: it can be read and, between ticks, changed like one;
// but its time advances in tick(), and its events are polled with events().
class Server : public Simulation {
  public:
    using Simulation::Simulation;
    // Takes over the simulation.
    explicit Server(Simulation &&simulation, const ugas_server_config *config = nullptr)
        : Simulation(take(simulation, config)) {}

    void receive(std::uint64_t now, ugas_peer peer, const std::uint8_t *data, std::size_t length) {
        must(ugas_server_receive(raw_context(), raw(), now, peer, ugas_bytes{data, length}));
    }
    void tick(std::uint64_t now) { must(ugas_server_tick(raw_context(), raw(), now)); }
    // Calls send(peer, data, length) for every queued datagram.
    template <class Send> void transmit(Send send) {
        std::uint8_t bytes[UGAS_MAX_DATAGRAM];
        for (;;) {
            ugas_peer peer = 0;
            std::size_t length = 0;
            must(ugas_server_transmit(raw_context(), raw(), &peer, bytes, sizeof bytes, &length));
            if (length == 0) {
                return;
            }
            send(peer, bytes, length);
        }
    }
    // At most 64 events that were not polled yet; texts and bytes in them are valid until the next call. An empty result is
    // the end.
    std::vector<ugas_server_event> events() {
        std::vector<ugas_server_event> rows(64);
        std::size_t count = 0;
        must(ugas_server_events_poll(raw_context(), raw(), rows.data(), sizeof rows[0], rows.size(), &count));
        rows.resize(count);
        return rows;
    }
    void give(Controller controller, ugas_client_id client) {
        must(ugas_server_give(raw_context(), raw(), controller.bits, client));
    }
    void take_back(Controller controller) { must(ugas_server_take_back(raw_context(), raw(), controller.bits)); }
    void show(Controller controller, ugas_client_id client) {
        must(ugas_server_show(raw_context(), raw(), controller.bits, client));
    }
    void hide(Controller controller, ugas_client_id client) {
        must(ugas_server_hide(raw_context(), raw(), controller.bits, client));
    }
    // Sets what the owner (if `own`) or all others see of a controller.
    void set_lens(Controller controller, const ugas_lens &lens, bool own = false) {
        must(ugas_server_set_lens(raw_context(), raw(), controller.bits, own ? 1 : 0, &lens));
    }
    void kick(ugas_client_id client) { must(ugas_server_kick(raw_context(), raw(), client)); }
    void disconnected(ugas_peer peer) { must(ugas_server_disconnected(raw_context(), raw(), peer)); }
    void shut_down() { must(ugas_server_shut_down(raw_context(), raw())); }
    ugas_server_statistics statistics() const {
        auto statistics = UGAS_INIT(ugas_server_statistics);
        must(ugas_server_look(raw_context(), raw(), &statistics));
        return statistics;
    }

  private:
    static Simulation take(Simulation &simulation, const ugas_server_config *config) {
        ugas_server server = 0;
        ugas_context *context = simulation.raw_context();
        detail::check(context, ugas_server_new(context, simulation.raw(), config, &server));
        return simulation.renumbered(server);
    }
};

// A replica of a server's game, read like a simulation. Player actions go through it; other changes throw.
class Client : public Simulation {
  public:
    using Simulation::Simulation;
    Client(const Context &context, const Catalog &catalog, const ugas_client_config &config)
        : Simulation(context.shared(), make(context, catalog, config)) {}

    void receive(std::uint64_t now, const std::uint8_t *data, std::size_t length) {
        must(ugas_client_receive(raw_context(), raw(), now, ugas_bytes{data, length}));
    }
    void update(std::uint64_t now) { must(ugas_client_update(raw_context(), raw(), now)); }
    // Calls send(data, length) for every queued datagram.
    template <class Send> void transmit(Send send) {
        std::uint8_t bytes[UGAS_MAX_DATAGRAM];
        for (;;) {
            std::size_t length = 0;
            must(ugas_client_transmit(raw_context(), raw(), bytes, sizeof bytes, &length));
            if (length == 0) {
                return;
            }
            send(bytes, length);
        }
    }
    // Like Server::events.
    std::vector<ugas_client_event> events() {
        std::vector<ugas_client_event> rows(64);
        std::size_t count = 0;
        must(ugas_client_events_poll(raw_context(), raw(), rows.data(), sizeof rows[0], rows.size(), &count));
        rows.resize(count);
        return rows;
    }
    // The functions of a simulation that change it are the server's: these send requests, and return command keys, to which
    // the confirmation or rejection refers. A request that the client knows to be impossible is refused at once.
    ugas_command_key ask(GrantedAbility granted, Controller target) { return try_ask(granted, target).value(); }
    Result<ugas_command_key> try_ask(GrantedAbility granted, Controller target) {
        ugas_target targets[1] = {};
        targets[0].kind = UGAS_TARGET_KIND_CONTROLLER;
        targets[0].controller = target.bits;
        ugas_command_key key = 0;
        const ugas_status status =
            ugas_client_activate(raw_context(), raw(), granted.bits, targets, target ? 1 : 0, nullptr, &key);
        return as_result(status, key);
    }
    ugas_command_key press(Controller controller, std::string_view input) { return try_press(controller, input).value(); }
    Result<ugas_command_key> try_press(Controller controller, std::string_view input) {
        ugas_command_key key = 0;
        const ugas_status status = ugas_client_press(raw_context(), raw(), controller.bits, str(input), &key);
        return as_result(status, key);
    }
    ugas_command_key release(Controller controller, std::string_view input) {
        return try_release(controller, input).value();
    }
    Result<ugas_command_key> try_release(Controller controller, std::string_view input) {
        ugas_command_key key = 0;
        const ugas_status status = ugas_client_release(raw_context(), raw(), controller.bits, str(input), &key);
        return as_result(status, key);
    }
    ugas_command_key confirm(Controller controller) { return try_confirm(controller).value(); }
    Result<ugas_command_key> try_confirm(Controller controller) {
        ugas_command_key key = 0;
        const ugas_status status = ugas_client_confirm(raw_context(), raw(), controller.bits, &key);
        return as_result(status, key);
    }
    Activation activate(GrantedAbility, Controller = {}) = delete;
    Result<Activation> try_activate(GrantedAbility, Controller = {}) = delete;
    void leave() { must(ugas_client_leave(raw_context(), raw())); }
    ugas_client_statistics statistics() const {
        auto statistics = UGAS_INIT(ugas_client_statistics);
        must(ugas_client_look(raw_context(), raw(), &statistics));
        return statistics;
    }

  private:
    static std::uint64_t make(const Context &context, const Catalog &catalog, const ugas_client_config &config) {
        ugas_client client = 0;
        detail::check(context.raw(), ugas_client_new(context.raw(), catalog.raw(), &config, &client));
        return client;
    }
};

} // inline namespace
} // namespace ugas

#endif // UGAS_NET_HPP

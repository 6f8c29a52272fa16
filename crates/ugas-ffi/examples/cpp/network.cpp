// A server and a client with ugas_net.hpp, over a link in memory that loses every fourth datagram: in the end both sides
// agree. network.c is the complete version.
//
// c++ -std=c++17 -Wall -Wextra -Werror -I include examples/cpp/network.cpp -L lib -lugas_ffi -o network
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "ugas_net.hpp"

namespace {

int failures = 0;

void check(bool holds, const char *what, int line) {
    if (!holds) {
        std::cerr << "line " << line << ": " << what << " does not hold\n";
        failures += 1;
    }
}
#define CHECK(condition) check((condition), #condition, __LINE__)

std::uint32_t slash(void *, const ugas_calculation_input *input, ugas_calculation_output *output) {
    output->changes[0].magnitude = -input->attributes[0] * 100.0 / (100.0 + input->attributes[1]);
    output->change_count = 1;
    return 0;
}

ugas::Catalog load(const ugas::Context &context, const std::string &path) {
    auto loader = context.loader();
    const ugas_reading attributes[] = {{UGAS_STR("Attack"), UGAS_PARTY_SOURCE, 0},
                                       {UGAS_STR("Armor"), UGAS_PARTY_TARGET, 0}};
    const ugas_str outputs[] = {UGAS_STR("Health")};
    auto calculation = UGAS_INIT(ugas_calculation);
    calculation.name = UGAS_STR("ExecCalc_Slash");
    calculation.attributes = attributes;
    calculation.attribute_count = 2;
    calculation.outputs = outputs;
    calculation.output_count = 1;
    calculation.calculate = slash;
    loader.path(path).calculation(calculation);
    return loader.load();
}

void play(const std::string &path) {
    const ugas_peer address = 42;
    ugas::Context here, there;
    const auto rules = load(here, path);
    const auto same_rules = load(there, path);
    auto simulation = here.simulation(rules, 7);
    const auto enemy = simulation.spawn("Knight");
    ugas::Server server(std::move(simulation));
    auto asked = UGAS_INIT(ugas_client_config);
    asked.nonce = 1;
    ugas::Client client(there, same_rules, asked);

    const auto health = rules.attribute("Health");
    auto lens = UGAS_INIT(ugas_lens);
    lens.kind = UGAS_LENS_KIND_FULL;
    lens.attributes = &health.index;
    lens.attribute_count = 1;
    server.set_lens(enemy, lens);

    ugas::Controller own, seen;
    ugas_command_key command = 0;
    bool confirmed = false;
    int sent = 0;
    const std::uint64_t tick = server.statistics().tick_length;
    for (std::uint64_t now = tick; now < 300 * tick; now += tick) {
        server.tick(now);
        server.transmit([&](ugas_peer peer, const std::uint8_t *data, std::size_t length) {
            CHECK(peer == address);
            if (++sent % 4 != 0) {
                client.receive(now, data, length);
            }
        });
        for (auto events = server.events(); !events.empty(); events = server.events()) {
            for (const auto &event : events) {
                if (event.kind == UGAS_SERVER_EVENT_KIND_JOINED) {
                    const auto knight = server.spawn("Knight");
                    server.grant(knight, rules.ability("GA_Slash"));
                    server.give(knight, event.client);
                } else if (event.kind == UGAS_SERVER_EVENT_KIND_GAME &&
                           event.game.kind == UGAS_EVENT_KIND_HOST_TASK_REQUESTED) {
                    server.complete(ugas::Task{event.game.body.task.task});
                }
            }
        }
        client.update(now);
        for (auto events = client.events(); !events.empty(); events = client.events()) {
            for (const auto &event : events) {
                if (event.kind == UGAS_CLIENT_EVENT_KIND_APPEARED) {
                    (event.body.own ? own : seen).bits = event.controller;
                } else if (event.kind == UGAS_CLIENT_EVENT_KIND_ABILITY_GRANTED && own && seen && command == 0) {
                    command = client.ask(ugas::GrantedAbility{event.body.granted}, seen);
                    // An ability that does not exist is refused at once, and the client goes on.
                    const auto refused = client.try_ask(ugas::GrantedAbility{}, seen);
                    CHECK(!refused && refused.error().status() != UGAS_STATUS_OK);
                } else if (event.kind == UGAS_CLIENT_EVENT_KIND_CONFIRMED) {
                    confirmed = event.body.command.command == command;
                }
            }
        }
        client.transmit([&](const std::uint8_t *data, std::size_t length) {
            if (++sent % 4 != 0) {
                server.receive(now, address, data, length);
            }
        });
    }
    CHECK(confirmed);
    CHECK(server.current(enemy, health) == 80); // 40 of attack, halved by 100 of armour
    CHECK(client.current(seen, same_rules.attribute("Health")) == 80);
    // The game is the server's.
    CHECK(ugas_controller_despawn(client.raw_context(), client.raw(), seen.bits) == UGAS_STATUS_NETWORKED);
    CHECK(client.statistics().is_playing == 1 && server.statistics().commands == 1);
    client.leave();
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: network PACK\n";
        return EXIT_FAILURE;
    }
    play(argv[1]);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

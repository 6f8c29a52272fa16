// SPDX-License-Identifier: MIT OR Apache-2.0
//
// UGAS for C++17: RAII owners, typed handles, errors as exceptions, texts as std::string. Everything here is a thin
// wrapper around ugas.h; call functions that it does not cover there, with the raw handles of the classes.
#ifndef UGAS_HPP
#define UGAS_HPP

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ugas.h"

namespace ugas {

// Typed handle. Zero is none.
template <class Kind> struct Handle {
    std::uint64_t bits = 0;
    explicit operator bool() const { return bits != 0; }
    friend bool operator==(Handle one, Handle other) { return one.bits == other.bits; }
    friend bool operator!=(Handle one, Handle other) { return one.bits != other.bits; }
};

// Typed id of a definition.
template <class Kind> struct Id {
    std::uint32_t index = UGAS_NO_ID;
    friend bool operator==(Id one, Id other) { return one.index == other.index; }
    friend bool operator!=(Id one, Id other) { return one.index != other.index; }
};

using Controller = Handle<struct ControllerKind>;
using ActiveEffect = Handle<struct ActiveEffectKind>;
using GrantedAbility = Handle<struct GrantedAbilityKind>;
using Activation = Handle<struct ActivationKind>;
using Task = Handle<struct TaskKind>;

using Tag = Id<struct TagKind>;
using Attribute = Id<struct AttributeKind>;
using Effect = Id<struct EffectKind>;
using Ability = Id<struct AbilityKind>;

inline ugas_str str(std::string_view text) { return ugas_str{text.data(), text.size()}; }
inline std::string text(ugas_str text) { return text.length == 0 ? std::string() : std::string(text.data, text.length); }

// Seconds as microseconds, rounded as the library rounds.
inline std::int64_t seconds(double seconds) { return ugas_micros_from_seconds(seconds); }

// One reason of a refusal.
struct Reason {
    std::string code;
    std::string words;
};

// A call that failed.
class Error : public std::runtime_error {
  public:
    Error(ugas_status status, const std::string &words, std::vector<Reason> reasons)
        : std::runtime_error(words), status_(status), reasons_(std::move(reasons)) {}
    ugas_status status() const { return status_; }
    const std::vector<Reason> &reasons() const { return reasons_; }
    bool is_refusal() const { return status_ == UGAS_STATUS_REFUSED; }

  private:
    ugas_status status_;
    std::vector<Reason> reasons_;
};

// One diagnostic of a pack.
struct Diagnostic {
    std::string code, file, message, help;
    std::uint32_t severity, line, column;
};

class Context;

namespace detail {
inline void check(ugas_context *context, ugas_status status) {
    if (status == UGAS_STATUS_OK) {
        return;
    }
    ugas_str words{nullptr, 0};
    ugas_last_error(context, &words);
    std::vector<Reason> reasons;
    std::size_t count = 0;
    if (ugas_last_reasons(context, nullptr, sizeof(ugas_reason), 0, &count) == UGAS_STATUS_OK && count > 0) {
        std::vector<ugas_reason> rows(count);
        ugas_last_reasons(context, rows.data(), sizeof(ugas_reason), count, &count);
        for (const ugas_reason &row : rows) {
            reasons.push_back(Reason{text(row.code), text(row.words)});
        }
    }
    throw Error(status, words.length == 0 ? text(ugas_status_words(status)) : text(words), std::move(reasons));
}

// Owner of an object of a context, freed with `Free`. The context lives as long as its objects do. A moved-from owner is
// empty: its calls throw. Owners must not be destroyed in a callback of the library, where nothing can be freed.
template <ugas_status (*Free)(ugas_context *, std::uint64_t)> class Owned {
  public:
    Owned(std::shared_ptr<ugas_context> context, std::uint64_t number)
        : context_(std::move(context)), number_(number) {}
    Owned(Owned &&other) noexcept
        : context_(std::move(other.context_)), number_(std::exchange(other.number_, 0)) {}
    Owned &operator=(Owned &&other) noexcept {
        std::swap(context_, other.context_);
        std::swap(number_, other.number_);
        return *this;
    }
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    ~Owned() {
        if (context_ && number_ != 0) {
            Free(context_.get(), number_);
        }
    }
    // Raw handle, for calls of ugas.h.
    std::uint64_t raw() const { return number_; }
    ugas_context *raw_context() const { return context_.get(); }

  protected:
    void must(ugas_status status) const { check(context_.get(), status); }
    const std::shared_ptr<ugas_context> &shared() const { return context_; }
    // Gives up the object after another owner has taken it over: there is nothing to free.
    void forget() { number_ = 0; }

  private:
    std::shared_ptr<ugas_context> context_;
    std::uint64_t number_;
};
} // namespace detail

// The definitions of a game.
class Catalog : public detail::Owned<ugas_catalog_free> {
  public:
    using Owned::Owned;
    Tag tag(std::string_view name) const { return find<Tag>(ugas_catalog_tag, name); }
    Attribute attribute(std::string_view name) const { return find<Attribute>(ugas_catalog_attribute, name); }
    Effect effect(std::string_view name) const { return find<Effect>(ugas_catalog_effect, name); }
    Ability ability(std::string_view name) const { return find<Ability>(ugas_catalog_ability, name); }
    std::uint64_t hash() const {
        std::uint64_t hash = 0;
        must(ugas_catalog_hash(raw_context(), raw(), &hash));
        return hash;
    }

  private:
    template <class T, class Look> T find(Look look, std::string_view name) const {
        T id;
        must(look(raw_context(), raw(), str(name), &id.index));
        return id;
    }
    friend class Simulation;
};

// Collects files and texts, and loads them.
class Loader : public detail::Owned<ugas_loader_free> {
  public:
    using Owned::Owned;
    Loader &path(std::string_view path) {
        must(ugas_loader_add_path(raw_context(), raw(), str(path)));
        return *this;
    }
    Loader &add_text(std::string_view name, std::string_view text) {
        must(ugas_loader_add_text(raw_context(), raw(), str(name), str(text)));
        return *this;
    }
    Loader &calculation(const ugas_calculation &calculation) {
        must(ugas_loader_add_calculation(raw_context(), raw(), &calculation));
        return *this;
    }
    Loader &space(const ugas_space &space) {
        must(ugas_loader_set_space(raw_context(), raw(), &space));
        return *this;
    }
    // Throws if the pack has errors; diagnostics() returns the diagnostics in either case.
    Catalog load() {
        ugas_catalog catalog = 0;
        must(ugas_loader_load(raw_context(), raw(), &catalog));
        return Catalog(shared(), catalog);
    }
    std::vector<Diagnostic> diagnostics() const {
        std::size_t count = 0;
        must(ugas_loader_diagnostics(raw_context(), raw(), nullptr, sizeof(ugas_diagnostic), 0, &count));
        std::vector<ugas_diagnostic> rows(count);
        must(ugas_loader_diagnostics(raw_context(), raw(), rows.data(), sizeof(ugas_diagnostic), count, &count));
        std::vector<Diagnostic> found;
        for (const ugas_diagnostic &row : rows) {
            found.push_back(Diagnostic{text(row.code), text(row.file), text(row.message), text(row.help),
                                       row.severity, row.line, row.column});
        }
        return found;
    }
};

// Snapshot of the whole state.
class Snapshot : public detail::Owned<ugas_snapshot_free> {
  public:
    using Owned::Owned;
    std::uint64_t hash() const {
        std::uint64_t hash = 0;
        must(ugas_snapshot_hash(raw_context(), raw(), &hash));
        return hash;
    }
    std::vector<std::uint8_t> bytes() const {
        ugas_bytes bytes{nullptr, 0};
        must(ugas_snapshot_bytes(raw_context(), raw(), &bytes));
        return std::vector<std::uint8_t>(bytes.data, bytes.data + bytes.length);
    }
    // For a saved game that outlives an update of its pack; see Simulation::migrate.
    std::vector<std::uint8_t> bytes_with_rules() const {
        ugas_bytes bytes{nullptr, 0};
        must(ugas_snapshot_bytes_with_rules(raw_context(), raw(), &bytes));
        return std::vector<std::uint8_t>(bytes.data, bytes.data + bytes.length);
    }
};

// A simulation.
class Simulation : public detail::Owned<ugas_simulation_free> {
  public:
    using Owned::Owned;

    void advance(std::int64_t micros) { must(ugas_simulation_advance(raw_context(), raw(), micros)); }
    std::uint64_t now() const {
        std::uint64_t now = 0;
        must(ugas_simulation_now(raw_context(), raw(), &now));
        return now;
    }
    std::uint64_t hash() const {
        std::uint64_t hash = 0;
        must(ugas_simulation_hash(raw_context(), raw(), &hash));
        return hash;
    }

    Controller spawn(std::string_view template_name) {
        ugas_spawn spawn = UGAS_INIT(ugas_spawn);
        spawn.template_name = str(template_name);
        Controller controller;
        must(ugas_controller_spawn(raw_context(), raw(), &spawn, &controller.bits));
        return controller;
    }
    void despawn(Controller controller) { must(ugas_controller_despawn(raw_context(), raw(), controller.bits)); }

    double current(Controller controller, Attribute attribute) const {
        return read(controller, attribute, UGAS_VALUE_CURRENT);
    }
    double base(Controller controller, Attribute attribute) const {
        return read(controller, attribute, UGAS_VALUE_BASE);
    }
    bool has_tag(Controller controller, Tag tag) const {
        std::uint32_t has = 0;
        must(ugas_tag_has(raw_context(), raw(), controller.bits, tag.index, &has));
        return has != 0;
    }

    // Applies an effect; `more` may set further fields of ugas_apply.
    template <class More = void (*)(ugas_apply &)>
    ActiveEffect apply(Effect effect, Controller source, Controller target, More more = [](ugas_apply &) {}) {
        ugas_apply apply = UGAS_INIT(ugas_apply);
        apply.effect = effect.index;
        apply.source = source.bits;
        more(apply);
        ActiveEffect active;
        must(ugas_effect_apply(raw_context(), raw(), &apply, target.bits, nullptr, &active.bits));
        return active;
    }
    void remove(ActiveEffect active) { must(ugas_effect_remove(raw_context(), raw(), active.bits, 0)); }

    GrantedAbility grant(Controller controller, Ability ability, std::uint32_t level = 1,
                         std::string_view input = {}) {
        ugas_grant grant = UGAS_INIT(ugas_grant);
        grant.ability = ability.index;
        grant.level = level;
        grant.input = str(input);
        GrantedAbility granted;
        must(ugas_ability_grant(raw_context(), raw(), controller.bits, &grant, &granted.bits));
        return granted;
    }
    void revoke(GrantedAbility granted) { must(ugas_ability_revoke(raw_context(), raw(), granted.bits)); }
    Activation activate(GrantedAbility granted) { return activate_on(granted, nullptr, 0); }
    Activation activate(GrantedAbility granted, Controller target) {
        ugas_target targets[1] = {};
        targets[0].kind = UGAS_TARGET_KIND_CONTROLLER;
        targets[0].controller = target.bits;
        return activate_on(granted, targets, 1);
    }
    void cancel(Activation activation) { must(ugas_activation_cancel(raw_context(), raw(), activation.bits)); }
    void end(Activation activation) { must(ugas_activation_end(raw_context(), raw(), activation.bits)); }
    ugas_ability_info look(GrantedAbility granted) const {
        ugas_ability_info info{};
        must(ugas_ability_look(raw_context(), raw(), granted.bits, &info, sizeof info));
        return info;
    }
    void complete(Task task, ugas_task_outcome outcome = UGAS_TASK_OUTCOME_COMPLETED) {
        must(ugas_task_complete(raw_context(), raw(), task.bits, outcome));
    }

    // Presses an input and returns one of ugas_pressed.
    std::uint32_t press(Controller controller, std::string_view input) {
        std::uint32_t pressed = 0;
        must(ugas_input_press(raw_context(), raw(), controller.bits, str(input), &pressed, nullptr));
        return pressed;
    }
    void release(Controller controller, std::string_view input) {
        must(ugas_input_release(raw_context(), raw(), controller.bits, str(input)));
    }
    void confirm(Controller controller) { must(ugas_input_confirm(raw_context(), raw(), controller.bits)); }
    void place(Controller controller, const ugas_placement &placement) {
        std::size_t missing = 0;
        must(ugas_placements_set(raw_context(), raw(), &controller.bits, &placement, 1, &missing));
    }
    void set_team(Controller controller, std::string_view team) {
        must(ugas_team_set(raw_context(), raw(), controller.bits, str(team)));
    }

    // All events that were not polled yet. Texts in them are valid until the next poll.
    std::vector<ugas_event> poll() {
        std::size_t count = 0;
        must(ugas_events_pending(raw_context(), raw(), &count, nullptr));
        std::vector<ugas_event> events(count);
        must(ugas_events_poll(raw_context(), raw(), events.data(), sizeof(ugas_event), count, &count));
        events.resize(count);
        return events;
    }
    std::string describe(const ugas_event &event) const {
        ugas_str words{nullptr, 0};
        must(ugas_event_text(raw_context(), raw(), event.index, &words));
        return text(words);
    }
    std::string explain(Controller controller, Attribute attribute) const {
        ugas_str words{nullptr, 0};
        must(ugas_explain_text(raw_context(), raw(), controller.bits, attribute.index, &words));
        return text(words);
    }
    std::string explain_json(Controller controller, Attribute attribute) const {
        ugas_str words{nullptr, 0};
        must(ugas_explain_json(raw_context(), raw(), controller.bits, attribute.index, &words));
        return text(words);
    }
    // Parameters of a host task, as JSON.
    std::string parameters(Task task) const {
        ugas_str words{nullptr, 0};
        must(ugas_task_parameters(raw_context(), raw(), task.bits, &words));
        return text(words);
    }

    Snapshot snapshot() const {
        ugas_snapshot snapshot = 0;
        must(ugas_snapshot_take(raw_context(), raw(), &snapshot));
        return Snapshot(shared(), snapshot);
    }
    void restore(const Snapshot &snapshot) { must(ugas_snapshot_restore(raw_context(), raw(), snapshot.raw())); }

    // Executes the commands issued in `changes` as one batch, with one recalculation at its end. Returns their results in
    // order, at most `most`.
    template <class Changes> std::vector<ugas_batch_result> batch(Changes changes, std::size_t most = 1024) {
        must(ugas_batch_begin(raw_context(), raw()));
        try {
            changes(*this);
        } catch (...) {
            ugas_batch_drop(raw_context(), raw());
            throw;
        }
        std::vector<ugas_batch_result> results(most);
        std::size_t count = 0;
        must(ugas_batch_end(raw_context(), raw(), results.data(), sizeof(ugas_batch_result), most, &count));
        results.resize(count < most ? count : most);
        return results;
    }
    // Switches to another catalog and returns the report of differences.
    std::string reload(const Catalog &catalog) {
        ugas_str report{nullptr, 0};
        must(ugas_simulation_reload(raw_context(), raw(), catalog.raw(), nullptr, &report));
        return text(report);
    }
    // Restores a game that was saved with its definitions and returns the report of differences.
    std::string migrate(const std::vector<std::uint8_t> &saved) {
        ugas_str report{nullptr, 0};
        const ugas_bytes given{saved.data(), saved.size()};
        must(ugas_simulation_migrate(raw_context(), raw(), given, nullptr, &report));
        return text(report);
    }
    // Saves one controller with names instead of ids, for a save slot or another server.
    std::vector<std::uint8_t> character(Controller controller) const {
        ugas_bytes bytes{nullptr, 0};
        must(ugas_character_bytes(raw_context(), raw(), controller.bits, &bytes));
        return std::vector<std::uint8_t>(bytes.data, bytes.data + bytes.length);
    }
    Controller restore_character(const std::vector<std::uint8_t> &character, std::string *report = nullptr) {
        Controller controller;
        ugas_str words{nullptr, 0};
        const ugas_bytes given{character.data(), character.size()};
        must(ugas_character_restore(raw_context(), raw(), given, nullptr, &controller.bits, &words));
        if (report != nullptr) {
            *report = text(words);
        }
        return controller;
    }
    // Defines an effect at run time, from the text of one document as in a pack.
    Effect define_effect(std::string_view name, std::string_view definition) {
        Effect effect;
        must(ugas_effect_define(raw_context(), raw(), str(name), str(definition), &effect.index));
        return effect;
    }

    // Replaces the handle after the object was taken over.
    Simulation renumbered(std::uint64_t number) {
        forget();
        return Simulation(shared(), number);
    }

    void start_recording() { must(ugas_recording_start(raw_context(), raw(), nullptr)); }
    std::vector<std::uint8_t> finish_recording() {
        ugas_bytes bytes{nullptr, 0};
        must(ugas_recording_finish(raw_context(), raw(), &bytes));
        return std::vector<std::uint8_t>(bytes.data, bytes.data + bytes.length);
    }

  private:
    double read(Controller controller, Attribute attribute, std::uint32_t value) const {
        double number = 0;
        must(ugas_attribute_read(raw_context(), raw(), controller.bits, attribute.index, value, &number));
        return number;
    }
    Activation activate_on(GrantedAbility granted, const ugas_target *targets, std::size_t count) {
        Activation activation;
        must(ugas_ability_activate(raw_context(), raw(), granted.bits, targets, count, nullptr, &activation.bits));
        return activation;
    }
};

// Playback of a recording, read like a simulation. Changes throw; poll() returns the events of the last movement.
class Player : public Simulation {
  public:
    using Simulation::Simulation;
    void seek_tick(std::uint64_t tick) { must(ugas_player_seek_tick(raw_context(), raw(), tick)); }
    void seek_time(std::int64_t micros) {
        must(ugas_player_seek_time(raw_context(), raw(), micros < 0 ? 0 : static_cast<std::uint64_t>(micros)));
    }
    // Move by one tick; false at the end or beginning of the recording.
    bool step() {
        std::uint32_t has_moved = 0;
        must(ugas_player_step(raw_context(), raw(), &has_moved));
        return has_moved != 0;
    }
    bool back() {
        std::uint32_t has_moved = 0;
        must(ugas_player_back(raw_context(), raw(), &has_moved));
        return has_moved != 0;
    }
    ugas_player_position position() const {
        auto position = UGAS_INIT(ugas_player_position);
        must(ugas_player_look(raw_context(), raw(), &position));
        return position;
    }
    // The controller with this name in the recording.
    Controller controller(std::string_view name) const {
        Controller controller;
        must(ugas_player_controller(raw_context(), raw(), str(name), &controller.bits));
        return controller;
    }
};

// Owner of all objects of a host. Copies share one context; it is freed with the last copy and the last of its objects.
class Context {
  public:
    Context() {
        ugas_context *context = nullptr;
        detail::check(nullptr, ugas_context_new(UGAS_ABI_VERSION, &context));
        context_ = std::shared_ptr<ugas_context>(context, [](ugas_context *owned) { ugas_context_free(&owned); });
    }
    ugas_context *raw() const { return context_.get(); }
    const std::shared_ptr<ugas_context> &shared() const { return context_; }
    Loader loader() const {
        ugas_loader loader = 0;
        detail::check(raw(), ugas_loader_new(raw(), &loader));
        return Loader(context_, loader);
    }
    Simulation simulation(const Catalog &catalog, std::uint64_t seed = 0) const {
        ugas_config config = UGAS_INIT(ugas_config);
        config.seed = seed;
        ugas_simulation simulation = 0;
        detail::check(raw(), ugas_simulation_new(raw(), catalog.raw(), &config, &simulation));
        return Simulation(context_, simulation);
    }
    Snapshot snapshot(const Catalog &catalog, const std::vector<std::uint8_t> &bytes) const {
        ugas_snapshot snapshot = 0;
        ugas_bytes given{bytes.data(), bytes.size()};
        detail::check(raw(), ugas_snapshot_from_bytes(raw(), catalog.raw(), given, &snapshot));
        return Snapshot(context_, snapshot);
    }
    // Plays a recording. For an untrusted one, set a limit for the moments that one movement visits.
    Player play(const Catalog &catalog, const std::vector<std::uint8_t> &recording, std::uint64_t limit = 0) const {
        ugas_player player = 0;
        ugas_bytes given{recording.data(), recording.size()};
        detail::check(raw(), ugas_player_new(raw(), catalog.raw(), given, limit, &player));
        return Player(context_, player);
    }
    // Simulates a recording again and compares every tick.
    bool verify(const Catalog &catalog, const std::vector<std::uint8_t> &recording) const {
        ugas_verification verification = UGAS_INIT(ugas_verification);
        ugas_bytes given{recording.data(), recording.size()};
        detail::check(raw(), ugas_recording_verify(raw(), catalog.raw(), given, &verification));
        return verification.differs == 0;
    }

  private:
    std::shared_ptr<ugas_context> context_;
};

} // namespace ugas

#endif // UGAS_HPP

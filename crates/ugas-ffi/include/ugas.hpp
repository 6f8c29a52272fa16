// SPDX-License-Identifier: MIT OR Apache-2.0
//
// UGAS for C++17: RAII owners, typed handles, errors as exceptions or results, texts as std::string. Everything here is a
// thin wrapper around ugas.h; call functions that it does not cover there, with the raw handles of the classes.
//
// It works without exceptions and without RTTI (-fno-exceptions -fno-rtti). Functions whose failure a game handles, such
// as refusals, exist twice: try_activate() returns a Result, activate() its value. On an error, the latter throw an Error;
// without exceptions they call UGAS_ON_ERROR(error), which prints the error and aborts unless it is defined before this
// header is included. It must not return.
#ifndef UGAS_HPP
#define UGAS_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ugas.h"

// 1 if the compiler has exceptions.
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define UGAS_HAS_EXCEPTIONS 1
#else
#define UGAS_HAS_EXCEPTIONS 0
#endif

#ifndef UGAS_ON_ERROR
#define UGAS_ON_ERROR(error) (std::fprintf(stderr, "ugas: %s\n", (error).what()), std::abort())
#endif

namespace ugas {

// Objects built with and without exceptions may be linked into one program: their types have different names.
#if UGAS_HAS_EXCEPTIONS
inline namespace throwing {
#else
inline namespace no_exceptions {
#endif

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
class Error
#if UGAS_HAS_EXCEPTIONS
    : public std::runtime_error
#endif
{
  public:
#if UGAS_HAS_EXCEPTIONS
    Error(ugas_status status, const std::string &words, std::vector<Reason> reasons)
        : std::runtime_error(words), status_(status), reasons_(std::move(reasons)) {}
#else
    Error(ugas_status status, const std::string &words, std::vector<Reason> reasons)
        : words_(words), status_(status), reasons_(std::move(reasons)) {}
    const char *what() const noexcept { return words_.c_str(); }
#endif
    ugas_status status() const { return status_; }
    const std::vector<Reason> &reasons() const { return reasons_; }
    bool is_refusal() const { return status_ == UGAS_STATUS_REFUSED; }

  private:
#if !UGAS_HAS_EXCEPTIONS
    std::string words_;
#endif
    ugas_status status_;
    std::vector<Reason> reasons_;
};

namespace detail {
// Throws an error; without exceptions, calls UGAS_ON_ERROR.
[[noreturn]] inline void raise(const Error &error) {
#if UGAS_HAS_EXCEPTIONS
    throw error;
#else
    UGAS_ON_ERROR(error);
    std::abort();
#endif
}
} // namespace detail

// The value of a call, or the error with which it failed.
template <class T> class [[nodiscard]] Result {
  public:
    Result(T value) : value_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : value_(std::in_place_index<1>, std::move(error)) {}
    bool has_value() const { return value_.index() == 0; }
    explicit operator bool() const { return has_value(); }
    // The value; an error is thrown, or ends the program without exceptions.
    T &value() & {
        ensure();
        return *std::get_if<0>(&value_);
    }
    const T &value() const & {
        ensure();
        return *std::get_if<0>(&value_);
    }
    T &&value() && {
        ensure();
        return std::move(*std::get_if<0>(&value_));
    }
    T value_or(T other) const & { return has_value() ? *std::get_if<0>(&value_) : std::move(other); }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T &&operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }
    // The error; only if there is no value.
    const Error &error() const {
        const Error *error = std::get_if<1>(&value_);
        if (error == nullptr) {
            std::abort();
        }
        return *error;
    }

  private:
    void ensure() const {
        if (const Error *error = std::get_if<1>(&value_)) {
            detail::raise(*error);
        }
    }
    std::variant<T, Error> value_;
};

// Success, or the error with which a call failed.
template <> class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}
    bool has_value() const { return !error_.has_value(); }
    explicit operator bool() const { return has_value(); }
    void value() const {
        if (error_) {
            detail::raise(*error_);
        }
    }
    const Error &error() const {
        if (!error_) {
            std::abort();
        }
        return *error_;
    }

  private:
    std::optional<Error> error_;
};

// One diagnostic of a pack.
struct Diagnostic {
    std::string code, file, message, help;
    std::uint32_t severity, line, column;
};

class Context;

namespace detail {
// The error of the last call.
inline Error error_of(ugas_context *context, ugas_status status) {
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
    return Error(status, words.length == 0 ? text(ugas_status_words(status)) : text(words), std::move(reasons));
}

inline void check(ugas_context *context, ugas_status status) {
    if (status != UGAS_STATUS_OK) {
        raise(error_of(context, status));
    }
}

inline Result<void> result(ugas_context *context, ugas_status status) {
    return status == UGAS_STATUS_OK ? Result<void>() : Result<void>(error_of(context, status));
}
template <class T> Result<T> result(ugas_context *context, ugas_status status, T value) {
    return status == UGAS_STATUS_OK ? Result<T>(std::move(value)) : Result<T>(error_of(context, status));
}

// Owner of an object of a context, freed with `Free`. The context lives as long as its objects do. A moved-from owner is
// empty: its calls fail. Owners must not be destroyed in a callback of the library, where nothing can be freed.
template <ugas_status (*Free)(ugas_context *, std::uint64_t)> class Owned {
  public:
    Owned(std::shared_ptr<ugas_context> context, std::uint64_t number)
        : context_(std::move(context)), number_(number) {}
    Owned(Owned &&other) noexcept
        : context_(std::move(other.context_)), number_(std::exchange(other.number_, 0)) {}
    Owned &operator=(Owned &&other) noexcept {
        Owned moved(std::move(other));
        std::swap(context_, moved.context_);
        std::swap(number_, moved.number_);
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
    Result<void> as_result(ugas_status status) const { return result(context_.get(), status); }
    template <class T> Result<T> as_result(ugas_status status, T value) const {
        return result(context_.get(), status, std::move(value));
    }
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
    Tag tag(std::string_view name) const { return try_tag(name).value(); }
    Attribute attribute(std::string_view name) const { return try_attribute(name).value(); }
    Effect effect(std::string_view name) const { return try_effect(name).value(); }
    Ability ability(std::string_view name) const { return try_ability(name).value(); }
    Result<Tag> try_tag(std::string_view name) const { return find<Tag>(ugas_catalog_tag, name); }
    Result<Attribute> try_attribute(std::string_view name) const {
        return find<Attribute>(ugas_catalog_attribute, name);
    }
    Result<Effect> try_effect(std::string_view name) const { return find<Effect>(ugas_catalog_effect, name); }
    Result<Ability> try_ability(std::string_view name) const { return find<Ability>(ugas_catalog_ability, name); }
    std::uint64_t hash() const {
        std::uint64_t hash = 0;
        must(ugas_catalog_hash(raw_context(), raw(), &hash));
        return hash;
    }

  private:
    template <class T, class Look> Result<T> find(Look look, std::string_view name) const {
        T id;
        const ugas_status status = look(raw_context(), raw(), str(name), &id.index);
        return as_result(status, id);
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
    Loader &hooks(const ugas_hooks &hooks) {
        must(ugas_loader_add_hooks(raw_context(), raw(), &hooks));
        return *this;
    }
    Loader &task(const ugas_custom_task &task) {
        must(ugas_loader_add_task(raw_context(), raw(), &task));
        return *this;
    }
    // Fails if the pack has errors; diagnostics() returns the diagnostics in either case.
    Catalog load() { return try_load().value(); }
    Result<Catalog> try_load() {
        ugas_catalog catalog = 0;
        const ugas_status status = ugas_loader_load(raw_context(), raw(), &catalog);
        return as_result(status, Catalog(shared(), catalog));
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

    Controller spawn(std::string_view template_name) { return try_spawn(template_name).value(); }
    Result<Controller> try_spawn(std::string_view template_name) {
        ugas_spawn spawn = UGAS_INIT(ugas_spawn);
        spawn.template_name = str(template_name);
        Controller controller;
        const ugas_status status = ugas_controller_spawn(raw_context(), raw(), &spawn, &controller.bits);
        return as_result(status, controller);
    }
    void despawn(Controller controller) { must(ugas_controller_despawn(raw_context(), raw(), controller.bits)); }

    double current(Controller controller, Attribute attribute) const {
        return try_current(controller, attribute).value();
    }
    double base(Controller controller, Attribute attribute) const { return try_base(controller, attribute).value(); }
    Result<double> try_current(Controller controller, Attribute attribute) const {
        return read(controller, attribute, UGAS_VALUE_CURRENT);
    }
    Result<double> try_base(Controller controller, Attribute attribute) const {
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
        return try_apply(effect, source, target, more).value();
    }
    template <class More = void (*)(ugas_apply &)>
    Result<ActiveEffect> try_apply(Effect effect, Controller source, Controller target,
                                   More more = [](ugas_apply &) {}) {
        ugas_apply apply = UGAS_INIT(ugas_apply);
        apply.effect = effect.index;
        apply.source = source.bits;
        more(apply);
        ActiveEffect active;
        const ugas_status status =
            ugas_effect_apply(raw_context(), raw(), &apply, target.bits, nullptr, &active.bits);
        return as_result(status, active);
    }
    void remove(ActiveEffect active) { try_remove(active).value(); }
    Result<void> try_remove(ActiveEffect active) {
        return as_result(ugas_effect_remove(raw_context(), raw(), active.bits, 0));
    }

    GrantedAbility grant(Controller controller, Ability ability, std::uint32_t level = 1,
                         std::string_view input = {}) {
        return try_grant(controller, ability, level, input).value();
    }
    Result<GrantedAbility> try_grant(Controller controller, Ability ability, std::uint32_t level = 1,
                                     std::string_view input = {}) {
        ugas_grant grant = UGAS_INIT(ugas_grant);
        grant.ability = ability.index;
        grant.level = level;
        grant.input = str(input);
        GrantedAbility granted;
        const ugas_status status =
            ugas_ability_grant(raw_context(), raw(), controller.bits, &grant, &granted.bits);
        return as_result(status, granted);
    }
    void revoke(GrantedAbility granted) { must(ugas_ability_revoke(raw_context(), raw(), granted.bits)); }
    Activation activate(GrantedAbility granted) { return try_activate(granted).value(); }
    Activation activate(GrantedAbility granted, Controller target) { return try_activate(granted, target).value(); }
    // A refusal is the error of the result, with all reasons.
    Result<Activation> try_activate(GrantedAbility granted) { return activate_on(granted, nullptr, 0); }
    Result<Activation> try_activate(GrantedAbility granted, Controller target) {
        const ugas_target targets = on(target);
        return activate_on(granted, &targets, 1);
    }
    // Whether an ability could be activated now; otherwise the error has all reasons. Changes nothing.
    Result<void> can_activate(GrantedAbility granted) const {
        return as_result(ugas_ability_can_activate(raw_context(), raw(), granted.bits, nullptr, 0));
    }
    Result<void> can_activate(GrantedAbility granted, Controller target) const {
        const ugas_target targets = on(target);
        return as_result(ugas_ability_can_activate(raw_context(), raw(), granted.bits, &targets, 1));
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
    std::uint32_t press(Controller controller, std::string_view input) { return try_press(controller, input).value(); }
    Result<std::uint32_t> try_press(Controller controller, std::string_view input) {
        std::uint32_t pressed = 0;
        const ugas_status status =
            ugas_input_press(raw_context(), raw(), controller.bits, str(input), &pressed, nullptr);
        return as_result(status, pressed);
    }
    void release(Controller controller, std::string_view input) {
        must(ugas_input_release(raw_context(), raw(), controller.bits, str(input)));
    }
    void confirm(Controller controller) { must(ugas_input_confirm(raw_context(), raw(), controller.bits)); }
    void place(Controller controller, const ugas_placement &placement) {
        std::size_t missing = 0;
        must(ugas_placements_set(raw_context(), raw(), &controller.bits, &placement, 1, &missing));
        if (missing != 0) {
            detail::raise(Error(UGAS_STATUS_NOT_FOUND, "the controller does not exist (anymore)", {}));
        }
    }
    void set_team(Controller controller, std::string_view team) {
        must(ugas_team_set(raw_context(), raw(), controller.bits, str(team)));
    }

    // All events that were not polled yet. Texts in them are valid until the next poll, restore, reload or migration.
    [[nodiscard]] std::vector<ugas_event> poll() {
        std::size_t count = 0;
        must(ugas_events_pending(raw_context(), raw(), &count, nullptr));
        std::vector<ugas_event> events(count);
        must(ugas_events_poll(raw_context(), raw(), events.data(), sizeof(ugas_event), count, &count));
        events.resize(count);
        return events;
    }
    // Number of events that were dropped because they were not polled in time.
    std::uint64_t dropped_events() const {
        std::uint64_t dropped = 0;
        must(ugas_events_pending(raw_context(), raw(), nullptr, &dropped));
        return dropped;
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

    [[nodiscard]] Snapshot snapshot() const {
        ugas_snapshot snapshot = 0;
        must(ugas_snapshot_take(raw_context(), raw(), &snapshot));
        return Snapshot(shared(), snapshot);
    }
    void restore(const Snapshot &snapshot) { try_restore(snapshot).value(); }
    Result<void> try_restore(const Snapshot &snapshot) {
        return as_result(ugas_snapshot_restore(raw_context(), raw(), snapshot.raw()));
    }

    // Executes the commands issued in `changes` as one batch, with one recalculation at its end. Returns their results in
    // order, at most `most`.
    template <class Changes> std::vector<ugas_batch_result> batch(Changes changes, std::size_t most = 1024) {
        // Drops the batch if `changes` throws.
        struct Open {
            Simulation *simulation;
            ~Open() {
                if (simulation != nullptr) {
                    ugas_batch_drop(simulation->raw_context(), simulation->raw());
                }
            }
        };
        std::vector<ugas_batch_result> results(most);
        std::size_t count = 0;
        must(ugas_batch_begin(raw_context(), raw()));
        Open open{this};
        changes(*this);
        open.simulation = nullptr;
        must(ugas_batch_end(raw_context(), raw(), results.data(), sizeof(ugas_batch_result), most, &count));
        results.resize(count < most ? count : most);
        return results;
    }
    // Switches to another catalog and returns the report of differences.
    std::string reload(const Catalog &catalog) { return try_reload(catalog).value(); }
    Result<std::string> try_reload(const Catalog &catalog) {
        ugas_str report{nullptr, 0};
        const ugas_status status = ugas_simulation_reload(raw_context(), raw(), catalog.raw(), nullptr, &report);
        return as_result(status, text(report));
    }
    // Restores a game that was saved with its definitions and returns the report of differences.
    std::string migrate(const std::vector<std::uint8_t> &saved) { return try_migrate(saved).value(); }
    Result<std::string> try_migrate(const std::vector<std::uint8_t> &saved) {
        ugas_str report{nullptr, 0};
        const ugas_bytes given{saved.data(), saved.size()};
        const ugas_status status = ugas_simulation_migrate(raw_context(), raw(), given, nullptr, &report);
        return as_result(status, text(report));
    }
    // Saves one controller with names instead of ids, for a save slot or another server.
    std::vector<std::uint8_t> character(Controller controller) const {
        ugas_bytes bytes{nullptr, 0};
        must(ugas_character_bytes(raw_context(), raw(), controller.bits, &bytes));
        return std::vector<std::uint8_t>(bytes.data, bytes.data + bytes.length);
    }
    Controller restore_character(const std::vector<std::uint8_t> &character, std::string *report = nullptr) {
        return try_restore_character(character, report).value();
    }
    Result<Controller> try_restore_character(const std::vector<std::uint8_t> &character,
                                             std::string *report = nullptr) {
        Controller controller;
        ugas_str words{nullptr, 0};
        const ugas_bytes given{character.data(), character.size()};
        const ugas_status status =
            ugas_character_restore(raw_context(), raw(), given, nullptr, &controller.bits, &words);
        if (report != nullptr) {
            *report = text(words);
        }
        return as_result(status, controller);
    }
    // Defines an effect at run time, from the text of one document as in a pack.
    Effect define_effect(std::string_view name, std::string_view definition) {
        return try_define_effect(name, definition).value();
    }
    Result<Effect> try_define_effect(std::string_view name, std::string_view definition) {
        Effect effect;
        const ugas_status status =
            ugas_effect_define(raw_context(), raw(), str(name), str(definition), &effect.index);
        return as_result(status, effect);
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
    Result<double> read(Controller controller, Attribute attribute, std::uint32_t value) const {
        double number = 0;
        const ugas_status status =
            ugas_attribute_read(raw_context(), raw(), controller.bits, attribute.index, value, &number);
        return as_result(status, number);
    }
    Result<Activation> activate_on(GrantedAbility granted, const ugas_target *targets, std::size_t count) {
        Activation activation;
        const ugas_status status = ugas_ability_activate(raw_context(), raw(), granted.bits, targets, count, nullptr,
                                                         &activation.bits);
        return as_result(status, activation);
    }
    static ugas_target on(Controller target) {
        ugas_target targets{};
        targets.kind = UGAS_TARGET_KIND_CONTROLLER;
        targets.controller = target.bits;
        return targets;
    }
};

// Playback of a recording, read like a simulation. Changes fail; poll() returns the events of the last movement.
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

// The call of a hook or of a custom task: valid until the callback returns. Failures are return values: an exception must
// not leave a callback. `memory` and `store` allocate.
class Call {
  public:
    explicit Call(ugas_call number) : number_(number) {}
    ugas_call raw() const { return number_; }
    std::uint64_t now() const {
        std::uint64_t now = 0;
        ugas_call_now(number_, &now);
        return now;
    }
    // A name that does not exist gives the id UGAS_NO_ID, which finds nothing.
    Tag tag(std::string_view name) const { return find<Tag>(UGAS_NAME_KIND_TAG, name); }
    Attribute attribute(std::string_view name) const { return find<Attribute>(UGAS_NAME_KIND_ATTRIBUTE, name); }
    Effect effect(std::string_view name) const { return find<Effect>(UGAS_NAME_KIND_EFFECT, name); }
    std::optional<double> current(Controller controller, Attribute attribute) const {
        double value = 0;
        const bool found = is_ok(ugas_call_attribute(number_, controller.bits, attribute.index, UGAS_VALUE_CURRENT, &value));
        return found ? std::optional<double>(value) : std::nullopt;
    }
    bool has_tag(Controller controller, Tag tag) const {
        std::uint32_t has = 0;
        return is_ok(ugas_call_has_tag(number_, controller.bits, tag.index, &has)) && has != 0;
    }
    std::optional<double> magnitude(Tag tag) const {
        double value = 0;
        return is_ok(ugas_call_magnitude(number_, tag.index, &value)) ? std::optional<double>(value) : std::nullopt;
    }
    std::optional<double> parameter(std::string_view name) const {
        double value = 0;
        return is_ok(ugas_call_parameter(number_, str(name), &value)) ? std::optional<double>(value) : std::nullopt;
    }
    // The following return whether the library accepted the action.
    bool refuse(std::string_view reason) const { return is_ok(ugas_call_refuse(number_, str(reason))); }
    bool set_base(Attribute attribute, double value) const {
        return is_ok(ugas_call_set_base(number_, attribute.index, value));
    }
    template <class More = void (*)(ugas_apply &)>
    bool apply(Effect effect, Controller target, ugas_call_context context = UGAS_CALL_CONTEXT_INHERITED,
               More more = [](ugas_apply &) {}) const {
        ugas_apply apply = UGAS_INIT(ugas_apply);
        apply.effect = effect.index;
        more(apply);
        return is_ok(ugas_call_apply(number_, &apply, target.bits, context));
    }
    bool subscribe(Controller controller, ugas_subject subject, std::uint32_t id = UGAS_NO_ID) const {
        return is_ok(ugas_call_subscribe(number_, controller.bits, subject, id));
    }
    bool wake_in(std::int64_t micros) const { return is_ok(ugas_call_wake_in(number_, micros)); }
    bool store(const std::vector<double> &numbers) const {
        return is_ok(ugas_call_store(number_, numbers.data(), numbers.size()));
    }
    std::vector<double> memory() const {
        std::vector<double> numbers(UGAS_MOST_MEMORY);
        std::size_t count = 0;
        ugas_call_memory(number_, numbers.data(), numbers.size(), &count);
        numbers.resize(count < numbers.size() ? count : numbers.size());
        return numbers;
    }
    bool remove(ActiveEffect active, std::uint32_t stacks = 0) const {
        return is_ok(ugas_call_remove(number_, active.bits, stacks));
    }
    bool send(Controller controller, const ugas_gameplay_event &event) const {
        return is_ok(ugas_call_send_event(number_, controller.bits, &event));
    }
    bool output(std::string_view name, double value) const {
        return is_ok(ugas_call_output(number_, str(name), value));
    }

  private:
    static bool is_ok(ugas_status status) { return status == UGAS_STATUS_OK; }
    template <class T> T find(std::uint32_t kind, std::string_view name) const {
        T id;
        ugas_call_find(number_, kind, str(name), &id.index);
        return id;
    }
    ugas_call number_;
};

// Owner of all objects of a host. Copies share one context; it is freed with the last copy and the last of its objects.
class Context {
  public:
    Context() : Context(try_create().value()) {}
    // Fails if the library has another version than this header.
    static Result<Context> try_create() {
        ugas_context *context = nullptr;
        const ugas_status status = ugas_context_new(UGAS_ABI_VERSION, &context);
        return detail::result(nullptr, status, Context(context));
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
        return try_snapshot(catalog, bytes).value();
    }
    Result<Snapshot> try_snapshot(const Catalog &catalog, const std::vector<std::uint8_t> &bytes) const {
        ugas_snapshot snapshot = 0;
        ugas_bytes given{bytes.data(), bytes.size()};
        const ugas_status status = ugas_snapshot_from_bytes(raw(), catalog.raw(), given, &snapshot);
        return detail::result(raw(), status, Snapshot(context_, snapshot));
    }
    // Plays a recording. For an untrusted one, set a limit for the moments that one movement visits.
    Player play(const Catalog &catalog, const std::vector<std::uint8_t> &recording, std::uint64_t limit = 0) const {
        return try_play(catalog, recording, limit).value();
    }
    Result<Player> try_play(const Catalog &catalog, const std::vector<std::uint8_t> &recording,
                            std::uint64_t limit = 0) const {
        ugas_player player = 0;
        ugas_bytes given{recording.data(), recording.size()};
        const ugas_status status = ugas_player_new(raw(), catalog.raw(), given, limit, &player);
        return detail::result(raw(), status, Player(context_, player));
    }
    // Simulates a recording again and compares every tick.
    bool verify(const Catalog &catalog, const std::vector<std::uint8_t> &recording) const {
        ugas_verification verification = UGAS_INIT(ugas_verification);
        ugas_bytes given{recording.data(), recording.size()};
        detail::check(raw(), ugas_recording_verify(raw(), catalog.raw(), given, &verification));
        return verification.differs == 0;
    }

  private:
    explicit Context(ugas_context *context)
        : context_(context, [](ugas_context *owned) { ugas_context_free(&owned); }) {}
    std::shared_ptr<ugas_context> context_;
};

} // inline namespace
} // namespace ugas

#endif // UGAS_HPP

// Results instead of exceptions, and hooks in C++. Compiles with and without exceptions and RTTI; takes the paths of
// duel.yaml and hooks.yaml.
//
// c++ -std=c++17 -fno-exceptions -fno-rtti -I include examples/cpp/results.cpp -L lib -lugas_ffi -o results
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ugas_net.hpp"

namespace {

int failures = 0;

void check(bool holds, const char *what, int line) {
    if (!holds) {
        std::fprintf(stderr, "line %d: %s does not hold\n", line, what);
        failures += 1;
    }
}
#define CHECK(condition) check(bool(condition), #condition, __LINE__)

std::uint32_t slash(void *, const ugas_calculation_input *input, ugas_calculation_output *output) {
    output->changes[0].magnitude = -input->attributes[0] * 100.0 / (100.0 + input->attributes[1]);
    output->change_count = 1;
    return 0;
}

ugas::Result<ugas::Catalog> load_duel(const ugas::Context &context, const char *path) {
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
    auto loader = context.loader();
    loader.path(path).calculation(calculation);
    return loader.try_load();
}

bool has_reason(const ugas::Error &error, const char *code) {
    for (const auto &reason : error.reasons()) {
        if (reason.code == code) {
            return true;
        }
    }
    return false;
}

// Failures are results, with the status, the words and all reasons of a refusal.
void results(const ugas::Context &context, const char *path) {
    auto broken = context.loader();
    broken.add_text("broken.yaml", "$schema: x/schemas/gameplay_effect.json\nName: 3\nDuration: no\n");
    const auto failed = broken.try_load();
    CHECK(!failed && failed.error().status() == UGAS_STATUS_LOAD_FAILED);
    CHECK(!broken.diagnostics().empty());

    const auto catalog = load_duel(context, path);
    CHECK(catalog.has_value());
    const auto unknown = catalog->try_attribute("Helth");
    CHECK(!unknown && unknown.error().status() == UGAS_STATUS_NOT_FOUND);
    CHECK(std::string(unknown.error().what()).find("Health") != std::string::npos); // the nearest name
    CHECK(catalog->try_tag("State.Stunned").has_value());

    auto simulation = context.simulation(*catalog, 7);
    CHECK(!simulation.try_spawn("Nobody"));
    const auto one = simulation.try_spawn("Knight");
    const auto other = simulation.spawn("Knight");
    CHECK(one.has_value());
    const auto granted = simulation.grant(*one, catalog->ability("GA_Slash"));
    CHECK(simulation.can_activate(granted, other));
    CHECK(simulation.try_activate(granted, other));
    const auto refused = simulation.can_activate(granted, other);
    CHECK(!refused && refused.error().is_refusal() && has_reason(refused.error(), "OnCooldown"));
    const auto again = simulation.try_activate(granted, other);
    CHECK(!again && has_reason(again.error(), "OnCooldown"));
    const auto health = catalog->attribute("Health");
    CHECK(simulation.try_current(other, health).value_or(-1) == 100);
    CHECK(simulation.try_current(ugas::Controller{}, health).value_or(-1) == -1);
    CHECK(simulation.try_apply(catalog->effect("GE_Thunder"), {}, other));
    CHECK(simulation.current(other, health) == 90);
    CHECK(!simulation.try_remove(ugas::ActiveEffect{}));

    const auto snapshot = simulation.snapshot();
    CHECK(simulation.try_restore(snapshot));
    CHECK(!context.try_snapshot(*catalog, {1, 2, 3}));
    CHECK(!context.try_play(*catalog, {1, 2, 3}));
    const auto batch = simulation.batch(
        [&](ugas::Simulation &game) { CHECK(game.try_apply(catalog->effect("GE_Thunder"), {}, other)); });
    CHECK(batch.size() == 1 && simulation.current(other, health) == 80);
#if UGAS_HAS_EXCEPTIONS
    try {
        simulation.activate(granted, other);
        CHECK(!"the slash is on cooldown");
    } catch (const ugas::Error &error) {
        CHECK(error.is_refusal());
    }
    // A batch that is left by an exception changes nothing.
    try {
        simulation.batch([&](ugas::Simulation &game) {
            game.apply(catalog->effect("GE_Thunder"), {}, other);
            catalog->attribute("Helth");
        });
        CHECK(!"there is no such attribute");
    } catch (const ugas::Error &) {
        CHECK(simulation.current(other, health) == 80);
    }
#endif
}

std::uint32_t before_apply(void *, ugas_call number, const ugas_before_apply_input *input) {
    const ugas::Call call(number);
    const bool blessed = call.has_tag(ugas::Controller{input->target}, call.tag("State.Blessed"));
    if (!blessed || input->effect != call.effect("GE_Hit").index) {
        return 0;
    }
    call.refuse("the target is blessed");
    return 1;
}

// Reflects half of a hit.
void post_execute(void *, ugas_call number, const ugas_post_execute_input *input) {
    const ugas::Call call(number);
    const auto amount = call.magnitude(call.tag("Data.Amount"));
    if (input->effect != call.effect("GE_Hit").index || !amount || input->source == 0) {
        return;
    }
    const ugas_magnitude half = {*amount / 2.0, call.tag("Data.Amount").index, 0};
    const bool queued = call.apply(call.effect("GE_Thorns"), ugas::Controller{input->source}, UGAS_CALL_CONTEXT_OWN,
                                   [&](ugas_apply &apply) {
                                       apply.source = input->controller;
                                       apply.magnitudes = &half;
                                       apply.magnitude_count = 1;
                                   });
    CHECK(queued);
}

// Ends at its third call: one activation and two timers.
std::uint32_t watch(void *, ugas_call number, const ugas_task_input *) {
    const ugas::Call call(number);
    auto memory = call.memory();
    const double calls = (memory.empty() ? 0.0 : memory[0]) + 1;
    call.store({calls});
    call.wake_in(ugas::seconds(call.parameter("Interval").value_or(0)));
    if (calls < 3) {
        return UGAS_TASK_PROGRESS_WAITING;
    }
    CHECK(call.now() == 2000000 && call.output("Wounds", calls));
    return UGAS_TASK_PROGRESS_DONE;
}

void hooks(const ugas::Context &context, const char *path) {
    auto global = UGAS_INIT(ugas_hooks);
    global.before_apply = before_apply;
    auto health_hooks = UGAS_INIT(ugas_hooks);
    health_hooks.attribute = UGAS_STR("Health");
    health_hooks.post_execute = post_execute;
    auto task = UGAS_INIT(ugas_custom_task);
    task.name = UGAS_STR("Watch");
    task.activate = watch;
    task.timer = watch;
    auto loader = context.loader();
    const auto catalog = loader.path(path).hooks(global).hooks(health_hooks).task(task).load();
    auto simulation = context.simulation(catalog);
    const auto one = simulation.spawn("Knight");
    const auto other = simulation.spawn("Knight");
    const auto health = catalog.attribute("Health");
    const ugas_magnitude amount = {-20.0, catalog.tag("Data.Amount").index, 0};
    const auto hit = [&](ugas_apply &apply) {
        apply.magnitudes = &amount;
        apply.magnitude_count = 1;
    };
    simulation.apply(catalog.effect("GE_Hit"), one, other, hit);
    CHECK(simulation.current(other, health) == 80 && simulation.current(one, health) == 90);
    simulation.apply(catalog.effect("GE_Bless"), {}, other);
    const auto refused = simulation.try_apply(catalog.effect("GE_Hit"), one, other, hit);
    CHECK(!refused && std::string(refused.error().what()).find("the target is blessed") != std::string::npos);
    // The task leaves the number of its calls, by which the ability heals its owner.
    simulation.activate(simulation.grant(one, catalog.ability("GA_Watch")), other);
    simulation.advance(ugas::seconds(2.5));
    CHECK(simulation.current(one, health) == 93);
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: results DUEL HOOKS\n");
        return EXIT_FAILURE;
    }
    const auto context = ugas::Context::try_create();
    CHECK(context.has_value());
    results(*context, argv[1]);
    hooks(*context, argv[2]);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

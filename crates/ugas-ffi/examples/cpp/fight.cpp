// The fight of fight.c, shorter, with ugas.hpp: nothing is freed by hand, and errors are exceptions.
//
// c++ -std=c++17 -Wall -Wextra -Werror -I include examples/cpp/fight.cpp -L lib -lugas_ffi -o fight
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ugas.hpp"

namespace {

int failures = 0;

void check(bool holds, const char *what, int line) {
    if (!holds) {
        std::cerr << "line " << line << ": " << what << " does not hold\n";
        failures += 1;
    }
}
#define CHECK(condition) check((condition), #condition, __LINE__)

// The library frees it when no catalog can call the calculation anymore.
struct Counter {
    int *freed;
    int calls;
};

std::uint32_t slash(void *user, const ugas_calculation_input *input, ugas_calculation_output *output) {
    static_cast<Counter *>(user)->calls += 1;
    output->changes[0].magnitude = -input->attributes[0] * 100.0 / (100.0 + input->attributes[1]);
    output->changes[0].operation = UGAS_OPERATION_ADD;
    output->change_count = 1;
    return 0;
}

void free_counter(void *user) {
    auto *counter = static_cast<Counter *>(user);
    *counter->freed += 1;
    delete counter;
}

ugas::Catalog load(const ugas::Context &context, const std::string &path, int *freed) {
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
    calculation.user = new Counter{freed, 0};
    calculation.free = free_counter;
    loader.path(path).calculation(calculation);
    return loader.load();
}

void fight(const std::string &path, int *freed) {
    ugas::Context context;
    const auto catalog = load(context, path, freed);
    const auto health = catalog.attribute("Health");

    auto simulation = context.simulation(catalog, 7);
    simulation.start_recording();
    const auto one = simulation.spawn("Knight");
    const auto other = simulation.spawn("Knight");
    const auto granted = simulation.grant(one, catalog.ability("GA_Slash"), 1, "Attack");

    simulation.activate(granted, other);
    for (const auto &event : simulation.poll()) {
        std::cout << simulation.describe(event) << '\n';
        if (event.kind == UGAS_EVENT_KIND_HOST_TASK_REQUESTED) {
            const ugas::Task task{event.body.task.task};
            CHECK(simulation.parameters(task) == R"({"Montage":"Slash","Speed":1.5})");
            simulation.complete(task);
        }
    }
    CHECK(simulation.current(other, health) == 80); // 40 of attack, halved by 100 of armour

    try {
        simulation.activate(granted, other);
        CHECK(!"the second slash is refused");
    } catch (const ugas::Error &error) {
        CHECK(error.is_refusal());
        CHECK(error.reasons().size() == 1 && error.reasons()[0].code == "OnCooldown");
    }
    CHECK(simulation.look(granted).cooldown_remaining == ugas::seconds(2.0));

    // Four ticks of 5; the poison tag is removed with the last.
    const auto poisoned = catalog.tag("State.Poisoned");
    const ugas_magnitude five = {-5.0, catalog.tag("Data.Venom").index, 0};
    simulation.apply(catalog.effect("GE_Venom"), one, other, [&five](ugas_apply &apply) {
        apply.magnitudes = &five;
        apply.magnitude_count = 1;
    });
    CHECK(simulation.has_tag(other, poisoned));
    simulation.advance(ugas::seconds(4.0));
    CHECK(!simulation.has_tag(other, poisoned));
    CHECK(simulation.current(other, health) == 60);
    const auto recording = simulation.finish_recording();
    CHECK(context.verify(catalog, recording));

    // A player is read like a simulation, and can move backwards.
    auto player = context.play(catalog, recording);
    player.seek_time(ugas::seconds(2.5));
    CHECK(player.current(other, health) == 70); // two ticks of the poison
    CHECK(player.step() && !player.step() && player.position().agreement == UGAS_AGREEMENT_SAME);
    CHECK(player.hash() == simulation.hash());
    CHECK(player.back() && !player.back() && player.position().time == 0);
    try {
        player.advance(1);
        CHECK(!"what is played is not changed");
    } catch (const ugas::Error &error) {
        CHECK(error.status() == UGAS_STATUS_RECORDING);
    }

    // A snapshot survives encoding and decoding unchanged.
    const auto snapshot = simulation.snapshot();
    const auto copy = context.snapshot(catalog, snapshot.bytes());
    CHECK(copy.hash() == snapshot.hash());
    simulation.advance(ugas::seconds(1.0));
    simulation.restore(copy);
    CHECK(simulation.hash() == snapshot.hash());
    auto migrated = context.simulation(catalog);
    CHECK(migrated.migrate(snapshot.bytes_with_rules()).empty() && migrated.hash() == snapshot.hash());

    // Both are hit in one batch, and one of them moves to another simulation.
    const auto thunder = catalog.effect("GE_Thunder");
    const auto results = simulation.batch([&](ugas::Simulation &game) {
        game.apply(thunder, {}, one);
        game.apply(thunder, {}, other);
        CHECK(game.current(other, health) == 60);
    });
    CHECK(results.size() == 2 && results[1].kind == UGAS_BATCH_RESULT_KIND_APPLIED);
    CHECK(simulation.current(other, health) == 50);
    auto town = context.simulation(catalog);
    std::string report;
    CHECK(town.current(town.restore_character(simulation.character(other), &report), health) == 50);
    CHECK(report.empty());
    CHECK(town.reload(catalog).empty());
    const auto brew = town.define_effect("brew.yaml",
                                         "$schema: https://ugas.jbltx.com/v1.0.0-draft.1/schemas/gameplay_effect.json\n"
                                         "Name: GE_Brew\nDurationPolicy: Infinite\nGrantedTags: [State.Rallied]\n");
    const auto drinker = town.spawn("Knight");
    town.apply(brew, drinker, drinker);
    CHECK(town.has_tag(drinker, catalog.tag("State.Rallied")));

    auto moved = std::move(simulation);
    CHECK(moved.explain(other, health).find("Health") != std::string::npos);
    CHECK(moved.explain_json(other, health).find("\"current\":50.0") != std::string::npos);
    try {
        catalog.attribute("Helth");
        CHECK(!"an unknown name is an error");
    } catch (const ugas::Error &error) {
        CHECK(error.status() == UGAS_STATUS_NOT_FOUND);
        CHECK(std::string(error.what()).find("Health") != std::string::npos); // the nearest name
    }
    CHECK(*freed == 0);
}

bool is_gone(const ugas::Simulation &simulation) {
    try {
        simulation.now();
        return false;
    } catch (const ugas::Error &error) {
        return error.status() == UGAS_STATUS_BAD_CONTEXT;
    }
}

// Owners are moved, assigned and dropped in any order, and everything is freed once; an error outlives all of them.
void owners(const std::string &path, int *freed) {
    std::unique_ptr<ugas::Error> kept;
    {
        std::unique_ptr<ugas::Simulation> last;
        {
            ugas::Context context;
            auto catalog = std::make_unique<ugas::Catalog>(load(context, path, freed));
            auto one = context.simulation(*catalog);
            auto other = context.simulation(*catalog);
            one.advance(1);
            const auto number = one.raw();
            auto taken = std::move(one);
            CHECK(is_gone(one) && taken.raw() == number && taken.now() == 1);
            one = std::move(taken);
            CHECK(is_gone(taken) && one.now() == 1);
            auto &same = one;
            one = std::move(same);
            CHECK(one.now() == 1);
            // An object that is assigned over is freed at once.
            one = std::move(other);
            CHECK(one.now() == 0 && is_gone(other));
            auto later = context.simulation(*catalog);
            later.advance(1);
            std::vector<ugas::Simulation> all;
            all.push_back(std::move(one));
            all.push_back(std::move(later));
            all.push_back(context.simulation(*catalog));
            all.erase(all.begin());
            CHECK(all.size() == 2 && all[0].now() == 1 && all[1].now() == 0);
            last = std::make_unique<ugas::Simulation>(std::move(all[0]));
            try {
                catalog->effect("GE_Slush");
            } catch (const ugas::Error &error) {
                kept = std::make_unique<ugas::Error>(error);
            }
            catalog.reset();
            CHECK(*freed == 0);
        }
        // The last object keeps the context and the catalog alive.
        last->advance(1);
        CHECK(last->now() == 2 && last->spawn("Knight") && *freed == 0);
    }
    CHECK(*freed == 1);
    CHECK(kept && std::string(kept->what()).find("GE_Slash") != std::string::npos);
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: fight PACK\n";
        return EXIT_FAILURE;
    }
    int freed = 0;
    fight(argv[1], &freed);
    CHECK(freed == 1);
    freed = 0;
    owners(argv[1], &freed);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

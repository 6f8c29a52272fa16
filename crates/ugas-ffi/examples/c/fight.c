/* A small fight, from C: loads a pack with a calculation and a world of its own, lets knights fight, and checks every
 * number. Takes the path of the pack as its argument.
 *
 * cc -std=c11 -Wall -Wextra -Werror -I include examples/c/fight.c -L lib -lugas_ffi -o fight
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ugas.h"

/* Ends the program with the library's error message if a call fails. */
static void must(ugas_context *context, ugas_status status, const char *what, int line) {
    if (status == UGAS_STATUS_OK) {
        return;
    }
    ugas_str error = {NULL, 0};
    ugas_last_error(context, &error);
    if (error.length == 0) {
        error = ugas_status_words(status);
    }
    fprintf(stderr, "line %d: %s: %.*s\n", line, what, (int)error.length, error.data);
    exit(1);
}

#define MUST(call) must(context, (call), #call, __LINE__)
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition);                                      \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* How hard a slash hits: the attack, halved by 100 of armour. `user` counts the calls. */
static uint32_t slash(void *user, const ugas_calculation_input *input, ugas_calculation_output *output) {
    double attack = input->attributes[0], armor = input->attributes[1];
    output->changes[0] = (ugas_calculation_change){
        .magnitude = -attack * 100.0 / (100.0 + armor), .output = 0, .operation = UGAS_OPERATION_ADD};
    output->change_count = 1;
    *(int *)user += 1;
    return 0;
}

/* The world has a wall at x = 3, which blocks the line of sight. */
static uint32_t line_of_sight(void *user, uint64_t now, const double *from, const double *to) {
    (void)user;
    (void)now;
    return (from[0] < 3.0) == (to[0] < 3.0);
}

static ugas_catalog load(ugas_context *context, const char *path, int *slashes) {
    ugas_loader loader = 0;
    MUST(ugas_loader_new(context, &loader));
    MUST(ugas_loader_add_path(context, loader, (ugas_str){path, strlen(path)}));
    ugas_reading attributes[] = {
        {UGAS_STR("Attack"), UGAS_PARTY_SOURCE, 0},
        {UGAS_STR("Armor"), UGAS_PARTY_TARGET, 0},
    };
    ugas_str outputs[] = {UGAS_STR("Health")};
    ugas_calculation calculation = UGAS_INIT(ugas_calculation);
    calculation.name = UGAS_STR("ExecCalc_Slash");
    calculation.attributes = attributes;
    calculation.attribute_count = 2;
    calculation.outputs = outputs;
    calculation.output_count = 1;
    calculation.calculate = slash;
    calculation.user = slashes;
    MUST(ugas_loader_add_calculation(context, loader, &calculation));
    ugas_space space = UGAS_INIT(ugas_space);
    space.line_of_sight = line_of_sight;
    MUST(ugas_loader_set_space(context, loader, &space));

    ugas_catalog catalog = 0;
    MUST(ugas_loader_load(context, loader, &catalog));
    MUST(ugas_loader_free(context, loader));
    return catalog;
}

/* Diagnostics of an invalid pack say where the problem is and how to fix it. */
static void show_diagnostics(ugas_context *context) {
    ugas_loader loader = 0;
    ugas_catalog catalog = 0;
    ugas_diagnostic found[8];
    size_t count = 0;
    MUST(ugas_loader_new(context, &loader));
    MUST(ugas_loader_add_text(context, loader, UGAS_STR("wrong.yaml"),
                              UGAS_STR("$schema: https://example.org/schemas/gameplay_effect.json\n"
                                       "Name: GE_Wrong\n"
                                       "DurationPolicy: Instnat\n")));
    CHECK(ugas_loader_load(context, loader, &catalog) == UGAS_STATUS_LOAD_FAILED);
    CHECK(catalog == 0);
    MUST(ugas_loader_diagnostics(context, loader, found, sizeof found[0], 8, &count));
    CHECK(count >= 1 && found[0].severity == UGAS_SEVERITY_ERROR && found[0].line == 3);
    printf("%.*s:%u:%u: %.*s %.*s (%.*s)\n", (int)found[0].file.length, found[0].file.data, found[0].line,
           found[0].column, (int)found[0].code.length, found[0].code.data, (int)found[0].message.length,
           found[0].message.data, (int)found[0].help.length, found[0].help.data);
    MUST(ugas_loader_free(context, loader));
}

static ugas_controller spawn(ugas_context *context, ugas_simulation simulation, ugas_actor actor) {
    ugas_spawn spawn = UGAS_INIT(ugas_spawn);
    ugas_controller controller = 0;
    spawn.template_name = UGAS_STR("Knight");
    spawn.owner = spawn.avatar = actor;
    spawn.has_owner = spawn.has_avatar = 1;
    MUST(ugas_controller_spawn(context, simulation, &spawn, &controller));
    return controller;
}

static ugas_granted_ability grant(ugas_context *context, ugas_catalog catalog, ugas_simulation simulation,
                                  ugas_controller controller, ugas_str name) {
    ugas_grant grant = UGAS_INIT(ugas_grant);
    ugas_granted_ability granted = 0;
    MUST(ugas_catalog_ability(context, catalog, name, &grant.ability));
    MUST(ugas_ability_grant(context, simulation, controller, &grant, &granted));
    return granted;
}

/* Prints the events and carries out host tasks. Returns the number of cues. */
static int handle_events(ugas_context *context, ugas_simulation simulation) {
    ugas_event events[64];
    size_t count = 0;
    int cues = 0;
    do {
        MUST(ugas_events_poll(context, simulation, events, sizeof events[0], 64, &count));
        ugas_task requested[64];
        size_t requests = 0;
        for (size_t at = 0; at < count; at++) {
            const ugas_event *event = &events[at];
            ugas_str text = {NULL, 0};
            MUST(ugas_event_text(context, simulation, event->index, &text));
            printf("%7.3f s  %.*s\n", (double)event->time / 1e6, (int)text.length, text.data);
            cues += event->category == UGAS_CATEGORY_CUE;
            if (event->kind == UGAS_EVENT_KIND_HOST_TASK_REQUESTED) {
                ugas_str kind = event->body.task.kind;
                CHECK(kind.length == 11 && memcmp(kind.data, "PlayMontage", 11) == 0);
                requested[requests++] = event->body.task.task;
            }
        }
        /* An engine would play the animation now. The events that follow are polled in the next round. */
        for (size_t at = 0; at < requests; at++) {
            ugas_str parameters = {NULL, 0};
            MUST(ugas_task_parameters(context, simulation, requested[at], &parameters));
            printf("           the host plays %.*s\n", (int)parameters.length, parameters.data);
            MUST(ugas_task_complete(context, simulation, requested[at], UGAS_TASK_OUTCOME_COMPLETED));
        }
    } while (count > 0);
    return cues;
}

static void apply(ugas_context *context, ugas_simulation simulation, ugas_effect effect, ugas_controller source,
                  ugas_controller target, const ugas_magnitude *magnitude) {
    ugas_apply apply = UGAS_INIT(ugas_apply);
    apply.effect = effect;
    apply.source = source;
    apply.magnitudes = magnitude;
    apply.magnitude_count = magnitude != NULL;
    MUST(ugas_effect_apply(context, simulation, &apply, target, NULL, NULL));
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    CHECK(ugas_abi_1() == UGAS_ABI_VERSION);
    ugas_context *context = NULL;
    int slashes = 0;
    CHECK(ugas_context_new(UGAS_ABI_VERSION, &context) == UGAS_STATUS_OK);
    show_diagnostics(context);

    ugas_catalog catalog = load(context, argv[1], &slashes);
    ugas_attribute health, attack;
    ugas_effect venom, rally;
    ugas_tag poisoned, data_venom;
    MUST(ugas_catalog_attribute(context, catalog, UGAS_STR("Health"), &health));
    MUST(ugas_catalog_attribute(context, catalog, UGAS_STR("Attack"), &attack));
    MUST(ugas_catalog_effect(context, catalog, UGAS_STR("GE_Venom"), &venom));
    MUST(ugas_catalog_effect(context, catalog, UGAS_STR("GE_Rally"), &rally));
    MUST(ugas_catalog_tag(context, catalog, UGAS_STR("State.Poisoned"), &poisoned));
    MUST(ugas_catalog_tag(context, catalog, UGAS_STR("Data.Venom"), &data_venom));

    ugas_config config = UGAS_INIT(ugas_config);
    ugas_simulation simulation = 0;
    config.seed = 7;
    MUST(ugas_simulation_new(context, catalog, &config, &simulation));
    MUST(ugas_recording_start(context, simulation, NULL));

    /* Three knights in a row; the wall is between the second and the third. */
    ugas_controller knights[3];
    ugas_placement places[3] = {{{0, 0, 0}, {1, 0, 0}}, {{2, 0, 0}, {-1, 0, 0}}, {{4, 0, 0}, {-1, 0, 0}}};
    for (int at = 0; at < 3; at++) {
        knights[at] = spawn(context, simulation, 100 + (ugas_actor)at);
        MUST(ugas_team_set(context, simulation, knights[at], at == 0 ? UGAS_STR("Red") : UGAS_STR("Blue")));
    }
    MUST(ugas_placements_set(context, simulation, knights, places, 3, NULL));
    ugas_granted_ability slash = grant(context, catalog, simulation, knights[0], UGAS_STR("GA_Slash"));
    ugas_granted_ability thunder = grant(context, catalog, simulation, knights[0], UGAS_STR("GA_Thunder"));

    /* 40 of attack against 100 of armour: 20. */
    ugas_target target = {.kind = UGAS_TARGET_KIND_CONTROLLER, .controller = knights[1]};
    MUST(ugas_ability_activate(context, simulation, slash, &target, 1, NULL, NULL));
    CHECK(handle_events(context, simulation) == 1);
    CHECK(slashes == 1);
    double values[3];
    size_t missing = 0;
    MUST(ugas_attributes_read(context, simulation, knights, 3, &health, 1, UGAS_VALUE_CURRENT, values, &missing));
    CHECK(values[0] == 100 && values[1] == 80 && values[2] == 100 && missing == 0);

    /* The slash is on cooldown for 2 s. */
    CHECK(ugas_ability_can_activate(context, simulation, slash, &target, 1) == UGAS_STATUS_REFUSED);
    ugas_reason reasons[4];
    size_t count = 0;
    MUST(ugas_last_reasons(context, reasons, sizeof reasons[0], 4, &count));
    CHECK(count == 1 && reasons[0].code.length == 10 && memcmp(reasons[0].code.data, "OnCooldown", 10) == 0);
    CHECK(reasons[0].value == 2.0);
    MUST(ugas_simulation_advance(context, simulation, ugas_micros_from_seconds(2.0)));

    /* Rallied: 60 of attack, so 30. */
    apply(context, simulation, rally, knights[0], knights[0], NULL);
    ugas_str text = {NULL, 0};
    MUST(ugas_explain_text(context, simulation, knights[0], attack, &text));
    printf("%.*s\n", (int)text.length, text.data);
    MUST(ugas_ability_activate(context, simulation, slash, &target, 1, NULL, NULL));
    handle_events(context, simulation);
    MUST(ugas_attribute_read(context, simulation, knights[1], health, UGAS_VALUE_CURRENT, &values[1]));
    CHECK(values[1] == 50);

    /* Four ticks of 5: 30. The poison ends with the last of them. */
    ugas_magnitude five = {.value = -5.0, .tag = data_venom};
    apply(context, simulation, venom, knights[0], knights[1], &five);
    uint32_t has = 0;
    MUST(ugas_tag_has(context, simulation, knights[1], poisoned, &has));
    CHECK(has == 1);
    ugas_effect_info effects[4];
    MUST(ugas_effects_of(context, simulation, knights[1], NULL, effects, sizeof effects[0], 4, &count));
    CHECK(count == 1 && effects[0].effect == venom && effects[0].remaining == 4000000);
    MUST(ugas_simulation_advance(context, simulation, 4000000));
    MUST(ugas_tag_has(context, simulation, knights[1], poisoned, &has));
    CHECK(has == 0);

    /* Thunder finds the second knight, and not the third behind the wall: 20 and 100. */
    MUST(ugas_ability_activate(context, simulation, thunder, NULL, 0, NULL, NULL));
    ugas_task_info tasks[4];
    MUST(ugas_tasks_of(context, simulation, knights[0], tasks, sizeof tasks[0], 4, &count));
    CHECK(count == 1);
    ugas_target preview[4];
    MUST(ugas_task_preview_targets(context, simulation, tasks[0].task, preview, sizeof preview[0], 4, &count));
    CHECK(count == 1 && preview[0].controller == knights[1]);
    MUST(ugas_input_confirm(context, simulation, knights[0]));
    handle_events(context, simulation);
    MUST(ugas_attributes_read(context, simulation, knights, 3, &health, 1, UGAS_VALUE_CURRENT, values, NULL));
    CHECK(values[1] == 20 && values[2] == 100);

    /* A cue that the host executes carries its context. */
    ugas_target hit = {.kind = UGAS_TARGET_KIND_HIT, .location = {1, 2, 3}, .normal = {0, 0, 1}};
    ugas_cue cue = UGAS_INIT(ugas_cue);
    MUST(ugas_catalog_tag(context, catalog, UGAS_STR("GameplayCue.Impact"), &cue.cue));
    cue.source = knights[0];
    cue.magnitude = 4;
    cue.hit = &hit;
    cue.context_tags = &poisoned;
    cue.context_tag_count = 1;
    MUST(ugas_cue_execute(context, simulation, knights[1], &cue));
    ugas_event shown;
    MUST(ugas_events_poll(context, simulation, &shown, sizeof shown, 1, &count));
    CHECK(count == 1 && shown.kind == UGAS_EVENT_KIND_CUE_EXECUTED && shown.body.cue.magnitude == 4);
    const ugas_cue_details *details = shown.body.cue.details;
    CHECK(details != NULL && details->instigator == knights[0] && details->has_hit && details->hit.location[2] == 3);
    CHECK(details->context_tag_count == 1 && details->context_tags[0] == poisoned);

    /* The recording replays identically; its bytes have to be copied before the next call. */
    ugas_bytes bytes = {NULL, 0};
    MUST(ugas_recording_finish(context, simulation, &bytes));
    uint8_t *recording = malloc(bytes.length);
    CHECK(recording != NULL);
    memcpy(recording, bytes.data, bytes.length);
    ugas_verification verification = UGAS_INIT(ugas_verification);
    MUST(ugas_recording_verify(context, catalog, (ugas_bytes){recording, bytes.length}, &verification));
    CHECK(verification.differs == 0 && verification.ticks >= 2);

    /* A player is read like a simulation: at first there was one slash. */
    ugas_player player = 0;
    MUST(ugas_player_new(context, catalog, (ugas_bytes){recording, bytes.length}, 0, &player));
    free(recording);
    MUST(ugas_player_seek_time(context, player, 0));
    MUST(ugas_attribute_read(context, player, knights[1], health, UGAS_VALUE_CURRENT, &values[1]));
    CHECK(values[1] == 80);
    CHECK(ugas_simulation_advance(context, player, 1) == UGAS_STATUS_RECORDING);
    uint64_t now = 0, played = 0;
    MUST(ugas_player_seek_tick(context, player, UINT64_MAX));
    MUST(ugas_simulation_hash(context, simulation, &now));
    MUST(ugas_simulation_hash(context, player, &played));
    CHECK(now == played);
    ugas_player_position position = UGAS_INIT(ugas_player_position);
    MUST(ugas_player_look(context, player, &position));
    CHECK(position.is_at_end && position.is_complete && position.agreement == UGAS_AGREEMENT_SAME);
    MUST(ugas_simulation_free(context, player));

    /* After restoring a snapshot, the simulation continues identically. */
    uint64_t before = 0, after = 0;
    ugas_snapshot snapshot = 0;
    MUST(ugas_snapshot_take(context, simulation, &snapshot));
    MUST(ugas_simulation_advance(context, simulation, 1000000));
    MUST(ugas_simulation_hash(context, simulation, &before));
    MUST(ugas_snapshot_restore(context, simulation, snapshot));
    MUST(ugas_simulation_advance(context, simulation, 1000000));
    MUST(ugas_simulation_hash(context, simulation, &after));
    CHECK(before == after);

    /* Dead handles are refused, and nothing happens. */
    MUST(ugas_controller_despawn(context, simulation, knights[2]));
    CHECK(ugas_controller_despawn(context, simulation, knights[2]) == UGAS_STATUS_NOT_FOUND);
    MUST(ugas_simulation_free(context, simulation));
    CHECK(ugas_simulation_advance(context, simulation, 1) == UGAS_STATUS_BAD_HANDLE);
    CHECK(ugas_simulation_advance(context, catalog, 1) == UGAS_STATUS_BAD_HANDLE);
    CHECK(ugas_simulation_advance(NULL, simulation, 1) == UGAS_STATUS_BAD_CONTEXT);

    /* Freeing the context frees everything in it, and sets the pointer to null. */
    CHECK(ugas_context_free(&context) == UGAS_STATUS_OK);
    CHECK(context == NULL);
    CHECK(slashes == 6); /* two in the fight, two when it was verified, two when it was played */
    printf("all is well\n");
    return 0;
}

/* Hooks and a custom task, from C: half of each hit is reflected, the blessed cannot be hit, attacks are limited, and the
 * task `Watch` waits until another knight is badly hurt. Takes the path of hooks.yaml as its argument.
 *
 * cc -std=c11 -Wall -Wextra -Werror -I include examples/c/hooks.c -L lib -lugas_ffi -o hooks
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

/* Texts of the library have a length and no terminating zero. */
static int contains(ugas_str text, const char *part) {
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= text.length; at++) {
        if (memcmp(text.data + at, part, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Observations of the callbacks, for the checks of this program. The rules use none of it. */
typedef struct {
    ugas_context *context;
    ugas_call last_call;
    ugas_status busy;
    int freed;
} observer;

static void count_freed(void *user) { ((observer *)user)->freed += 1; }

static uint32_t find(ugas_call call, uint32_t kind, ugas_str name) {
    uint32_t id = UGAS_NO_ID;
    ugas_call_find(call, kind, name, &id);
    return id;
}

/* Refuses hits on the blessed. */
static uint32_t before_apply(void *user, ugas_call call, const ugas_before_apply_input *input) {
    observer *seen = user;
    uint64_t now = 0;
    uint32_t is_blessed = 0;
    /* The context is in use by the call that led here. */
    seen->busy = ugas_simulation_now(seen->context, 0, &now);
    if (input->effect != find(call, UGAS_NAME_KIND_EFFECT, UGAS_STR("GE_Hit"))) {
        return 0;
    }
    ugas_call_has_tag(call, input->target, find(call, UGAS_NAME_KIND_TAG, UGAS_STR("State.Blessed")), &is_blessed);
    if (is_blessed) {
        ugas_call_refuse(call, UGAS_STR("the target is blessed"));
    }
    return is_blessed;
}

/* Limits an attribute to 60. */
static double pre_change(void *user, const ugas_pre_change_input *input) {
    (void)user;
    return input->new_value > 60.0 ? 60.0 : input->new_value;
}

/* Reflects half of the damage of a hit: the controller that was hit is the source of the reflection. */
static void post_execute(void *user, ugas_call call, const ugas_post_execute_input *input) {
    observer *seen = user;
    seen->last_call = call;
    double lost = input->old_base - input->new_base, amount = 0;
    if (input->effect != find(call, UGAS_NAME_KIND_EFFECT, UGAS_STR("GE_Hit")) || input->source == 0 || lost <= 0) {
        return;
    }
    ugas_tag data = find(call, UGAS_NAME_KIND_TAG, UGAS_STR("Data.Amount"));
    CHECK(ugas_call_magnitude(call, data, &amount) == UGAS_STATUS_OK && amount == -lost);
    ugas_magnitude half = {-lost / 2.0, data, 0};
    ugas_apply apply = UGAS_INIT(ugas_apply);
    apply.effect = find(call, UGAS_NAME_KIND_EFFECT, UGAS_STR("GE_Thorns"));
    apply.source = input->controller;
    apply.magnitudes = &half;
    apply.magnitude_count = 1;
    CHECK(ugas_call_apply(call, &apply, input->source, UGAS_CALL_CONTEXT_OWN) == UGAS_STATUS_OK);
    /* Functions of tasks are refused in a hook. */
    CHECK(ugas_call_wake_in(call, 1) == UGAS_STATUS_BAD_ARGUMENT);
}

/* Begins to watch the target. */
static uint32_t watch_activate(void *user, ugas_call call, const ugas_task_input *input) {
    (void)user;
    double interval = 0, wounds = 0;
    ugas_attribute health = find(call, UGAS_NAME_KIND_ATTRIBUTE, UGAS_STR("Health"));
    if (ugas_call_subscribe(call, input->target, UGAS_SUBJECT_ATTRIBUTE, health) != UGAS_STATUS_OK) {
        return UGAS_TASK_PROGRESS_FAILED;
    }
    ugas_call_parameter(call, UGAS_STR("Interval"), &interval);
    ugas_call_wake_in(call, ugas_micros_from_seconds(interval));
    ugas_call_store(call, &wounds, 1);
    return UGAS_TASK_PROGRESS_WAITING;
}

/* Heals the owner by one. */
static uint32_t watch_timer(void *user, ugas_call call, const ugas_task_input *input) {
    (void)user;
    double interval = 0;
    ugas_magnitude one = {1.0, find(call, UGAS_NAME_KIND_TAG, UGAS_STR("Data.Amount")), 0};
    ugas_apply apply = UGAS_INIT(ugas_apply);
    apply.effect = find(call, UGAS_NAME_KIND_EFFECT, UGAS_STR("GE_Heal"));
    apply.magnitudes = &one;
    apply.magnitude_count = 1;
    CHECK(ugas_call_apply(call, &apply, input->owner, UGAS_CALL_CONTEXT_INHERITED) == UGAS_STATUS_OK);
    /* A task has the context of its ability. */
    CHECK(ugas_call_apply(call, &apply, input->owner, UGAS_CALL_CONTEXT_OWN) == UGAS_STATUS_BAD_ARGUMENT);
    ugas_call_parameter(call, UGAS_STR("Interval"), &interval);
    ugas_call_wake_in(call, ugas_micros_from_seconds(interval));
    return UGAS_TASK_PROGRESS_WAITING;
}

/* Counts wounds; when the target is badly hurt, the owner loses its blessing and the task is done. */
static uint32_t watch_wake(void *user, ugas_call call, const ugas_task_input *input) {
    (void)user;
    double wounds = 0, health = 0, threshold = 0;
    size_t count = 0;
    CHECK(input->event->kind == UGAS_EVENT_KIND_ATTRIBUTE_CHANGED && input->event->controller == input->target);
    ugas_call_memory(call, &wounds, 1, &count);
    CHECK(count == 1);
    wounds += 1;
    ugas_call_store(call, &wounds, 1);
    ugas_call_parameter(call, UGAS_STR("Threshold"), &threshold);
    ugas_call_attribute(call, input->target, input->event->body.attribute.attribute, UGAS_VALUE_CURRENT, &health);
    CHECK(health == input->event->body.attribute.new_value);
    if (health > threshold) {
        return UGAS_TASK_PROGRESS_WAITING;
    }
    ugas_effect_query query = UGAS_INIT(ugas_effect_query);
    query.effect = find(call, UGAS_NAME_KIND_EFFECT, UGAS_STR("GE_Bless"));
    query.has_effect = 1;
    ugas_effect_info blessing;
    if (ugas_call_effects(call, input->owner, &query, &blessing, sizeof blessing, 1, &count) == UGAS_STATUS_OK && count > 0) {
        ugas_call_remove(call, blessing.active, 0);
    }
    ugas_gameplay_event wounded = UGAS_INIT(ugas_gameplay_event);
    wounded.tag = find(call, UGAS_NAME_KIND_TAG, UGAS_STR("Event.Wounded"));
    wounded.magnitude = health;
    wounded.target = input->target;
    CHECK(ugas_call_send_event(call, input->owner, &wounded) == UGAS_STATUS_OK);
    CHECK(ugas_call_output(call, UGAS_STR("Wounds"), wounds) == UGAS_STATUS_OK);
    return UGAS_TASK_PROGRESS_DONE;
}

static ugas_catalog load(ugas_context *context, const char *path, observer *seen) {
    ugas_loader loader = 0;
    MUST(ugas_loader_new(context, &loader));
    MUST(ugas_loader_add_path(context, loader, (ugas_str){path, strlen(path)}));
    ugas_hooks hooks = UGAS_INIT(ugas_hooks);
    hooks.user = seen;
    hooks.free = count_freed;
    hooks.before_apply = before_apply;
    MUST(ugas_loader_add_hooks(context, loader, &hooks));
    hooks.before_apply = NULL;
    hooks.attribute = UGAS_STR("Health");
    hooks.post_execute = post_execute;
    MUST(ugas_loader_add_hooks(context, loader, &hooks));
    hooks.attribute = UGAS_STR("Attack");
    hooks.post_execute = NULL;
    hooks.pre_change = pre_change;
    MUST(ugas_loader_add_hooks(context, loader, &hooks));
    ugas_custom_task watch = UGAS_INIT(ugas_custom_task);
    watch.name = UGAS_STR("Watch");
    watch.activate = watch_activate;
    watch.timer = watch_timer;
    watch.wake = watch_wake;
    watch.user = seen;
    watch.free = count_freed;
    MUST(ugas_loader_add_task(context, loader, &watch));
    ugas_catalog catalog = 0;
    MUST(ugas_loader_load(context, loader, &catalog));
    MUST(ugas_loader_free(context, loader));
    return catalog;
}

static ugas_status change(ugas_context *context, ugas_catalog catalog, ugas_simulation simulation, ugas_str effect, double amount,
                          ugas_controller source, ugas_controller target) {
    ugas_apply apply = UGAS_INIT(ugas_apply);
    ugas_magnitude magnitude = {amount, 0, 0};
    MUST(ugas_catalog_effect(context, catalog, effect, &apply.effect));
    MUST(ugas_catalog_tag(context, catalog, UGAS_STR("Data.Amount"), &magnitude.tag));
    apply.source = source;
    apply.magnitudes = &magnitude;
    apply.magnitude_count = 1;
    return ugas_effect_apply(context, simulation, &apply, target, NULL, NULL);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: hooks PACK\n");
        return 1;
    }
    ugas_context *context = NULL;
    if (ugas_context_new(UGAS_ABI_VERSION, &context) != UGAS_STATUS_OK) {
        return 1;
    }
    observer seen = {context, 0, UGAS_STATUS_OK, 0};
    ugas_catalog catalog = load(context, argv[1], &seen);
    ugas_simulation simulation = 0;
    MUST(ugas_simulation_new(context, catalog, NULL, &simulation));
    MUST(ugas_recording_start(context, simulation, NULL));
    ugas_controller hero = 0, foe = 0;
    ugas_spawn spawn = UGAS_INIT(ugas_spawn);
    spawn.template_name = UGAS_STR("Knight");
    MUST(ugas_controller_spawn(context, simulation, &spawn, &hero));
    MUST(ugas_controller_spawn(context, simulation, &spawn, &foe));
    ugas_attribute health = 0, attack = 0;
    MUST(ugas_catalog_attribute(context, catalog, UGAS_STR("Health"), &health));
    MUST(ugas_catalog_attribute(context, catalog, UGAS_STR("Attack"), &attack));
    double value = 0;
#define HEALTH(who) (MUST(ugas_attribute_read(context, simulation, (who), health, UGAS_VALUE_CURRENT, &value)), value)
#define CHANGE(effect, amount, source, target)                                                                         \
    change(context, catalog, simulation, UGAS_STR(effect), (amount), (source), (target))

    /* pre_change: 40 + 100 is limited to 60. */
    MUST(CHANGE("GE_Rage", 0, 0, hero));
    MUST(ugas_attribute_read(context, simulation, hero, attack, UGAS_VALUE_CURRENT, &value));
    CHECK(value == 60);

    /* A hit without a source is not reflected. before_apply refuses hits on the blessed, in its own words. */
    MUST(CHANGE("GE_Hit", -50, 0, hero));
    CHECK(HEALTH(hero) == 50);
    MUST(CHANGE("GE_Bless", 0, 0, hero));
    CHECK(CHANGE("GE_Hit", -1, 0, hero) == UGAS_STATUS_REFUSED);
    ugas_str error = {NULL, 0};
    ugas_last_error(context, &error);
    CHECK(contains(error, "the target is blessed"));
    CHECK(HEALTH(hero) == 50 && seen.busy == UGAS_STATUS_BUSY);

    /* The hero watches the foe, and is healed after one second and after two. */
    ugas_grant grant = UGAS_INIT(ugas_grant);
    ugas_granted_ability granted = 0;
    MUST(ugas_catalog_ability(context, catalog, UGAS_STR("GA_Watch"), &grant.ability));
    grant.level = 1;
    MUST(ugas_ability_grant(context, simulation, hero, &grant, &granted));
    ugas_target target = {0};
    target.kind = UGAS_TARGET_KIND_CONTROLLER;
    target.controller = foe;
    MUST(ugas_ability_activate(context, simulation, granted, &target, 1, NULL, NULL));
    MUST(ugas_simulation_advance(context, simulation, ugas_micros_from_seconds(2.5)));
    CHECK(HEALTH(hero) == 52);

    /* 20 of damage, 10 of them reflected. The blessing does not protect from thorns. */
    MUST(CHANGE("GE_Hit", -20, hero, foe));
    CHECK(HEALTH(foe) == 80 && HEALTH(hero) == 42);
    CHECK(ugas_call_wake_in(seen.last_call, 1) == UGAS_STATUS_BAD_HANDLE);

    /* 15 are reflected; the second wound ends the task, which heals by the number of wounds. */
    MUST(CHANGE("GE_Hit", -30, hero, foe));
    CHECK(HEALTH(foe) == 50 && HEALTH(hero) == 42 - 15 + 2);
    ugas_event events[128];
    size_t count = 0;
    int heard = 0;
    MUST(ugas_events_poll(context, simulation, events, sizeof events[0], 128, &count));
    for (size_t at = 0; at < count; at++) {
        if (events[at].kind == UGAS_EVENT_KIND_GAMEPLAY_EVENT) {
            CHECK(events[at].controller == hero && events[at].body.gameplay.magnitude == 50);
            CHECK(events[at].body.gameplay.instigator == hero && events[at].body.gameplay.target == foe);
            heard += 1;
        }
    }
    CHECK(heard == 1);

    /* The blessing is gone, and no timer is left. */
    MUST(CHANGE("GE_Hit", -1, 0, hero));
    MUST(ugas_simulation_advance(context, simulation, ugas_micros_from_seconds(5.0)));
    CHECK(HEALTH(hero) == 28);

    /* Verification runs hooks and tasks again. */
    ugas_bytes recording = {NULL, 0};
    MUST(ugas_recording_finish(context, simulation, &recording));
    ugas_verification verification = UGAS_INIT(ugas_verification);
    MUST(ugas_recording_verify(context, catalog, recording, &verification));
    CHECK(verification.differs == 0);

    CHECK(seen.freed == 0);
    MUST(ugas_context_free(&context));
    CHECK(seen.freed == 4);
    printf("hooks and tasks: %g health left\n", value);
    return 0;
}

/* A server and its clients, from C: datagrams go through a link in memory that delays, loses and doubles them, and in the
 * end both sides have the same numbers. A game has sockets in the link's place. Takes the path of the pack as its argument.
 *
 * cc -std=c11 -Wall -Wextra -Werror -I include examples/c/network.c -L lib -lugas_ffi -o network
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

enum { STEP = 10000, TICK = 20000, IN_FLIGHT = 256, SLASHES = 3 };
enum { SERVER = 0, ADA = 1, MALLORY = 2 };

/* A network: latency of 40 to 80 ms, one in six datagrams lost, one in six duplicated. */
typedef struct {
    uint64_t due;
    size_t length;
    int from, to;
    uint8_t bytes[UGAS_MAX_DATAGRAM];
} packet;

static packet flying[IN_FLIGHT];
static uint32_t dice = 12345;

static uint32_t roll(uint32_t sides) {
    dice ^= dice << 13;
    dice ^= dice >> 17;
    dice ^= dice << 5;
    return dice % sides;
}

static void throw_in(uint64_t now, int from, int to, const uint8_t *bytes, size_t length) {
    uint32_t copies = roll(6);
    for (uint32_t copy = 0; copy < (copies == 0 ? 0u : copies == 1 ? 2u : 1u); copy++) {
        for (int at = 0; at < IN_FLIGHT; at++) {
            if (flying[at].length == 0) {
                flying[at].due = now + 40000 + roll(40000);
                flying[at].from = from;
                flying[at].to = to;
                flying[at].length = length;
                memcpy(flying[at].bytes, bytes, length);
                break;
            }
        }
    }
}

static uint32_t slash(void *user, const ugas_calculation_input *input, ugas_calculation_output *output) {
    (void)user;
    output->changes[0].magnitude = -input->attributes[0] * 100.0 / (100.0 + input->attributes[1]);
    output->change_count = 1;
    return 0;
}

/* Server and client each load the pack, as on two machines: their catalogs must be equal. */
static ugas_catalog load(ugas_context *context, const char *path) {
    ugas_loader loader = 0;
    ugas_catalog catalog = 0;
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
    MUST(ugas_loader_new(context, &loader));
    MUST(ugas_loader_add_path(context, loader, (ugas_str){path, strlen(path)}));
    MUST(ugas_loader_add_calculation(context, loader, &calculation));
    MUST(ugas_loader_load(context, loader, &catalog));
    MUST(ugas_loader_free(context, loader));
    return catalog;
}

static double health_of(ugas_context *context, ugas_catalog catalog, ugas_simulation simulation, ugas_controller who) {
    ugas_attribute health = UGAS_NO_ID;
    double value = 0.0;
    MUST(ugas_catalog_attribute(context, catalog, UGAS_STR("Health"), &health));
    MUST(ugas_attribute_read(context, simulation, who, health, UGAS_VALUE_CURRENT, &value));
    return value;
}

/* ---- the server's machine ---- */

typedef struct {
    ugas_context *context;
    ugas_catalog catalog;
    ugas_server server;
    ugas_controller enemy, hero;
    int joined, left, refused, slashes;
} server_side;

/* Accepts only known credentials. `user` counts the connection attempts. */
static uint32_t admit(void *user, ugas_peer peer, ugas_bytes credential) {
    (void)peer;
    *(int *)user += 1;
    return credential.length == 3 && memcmp(credential.data, "Ada", 3) == 0;
}

static ugas_controller spawn(ugas_context *context, ugas_simulation simulation) {
    ugas_spawn spawn = UGAS_INIT(ugas_spawn);
    ugas_controller controller = 0;
    spawn.template_name = UGAS_STR("Knight");
    MUST(ugas_controller_spawn(context, simulation, &spawn, &controller));
    return controller;
}

static void start_server(server_side *side, const char *path, int *asked) {
    ugas_context *context = NULL;
    ugas_simulation simulation = 0;
    MUST(ugas_context_new(UGAS_ABI_VERSION, &context));
    side->context = context;
    side->catalog = load(context, path);
    MUST(ugas_simulation_new(context, side->catalog, NULL, &simulation));
    side->enemy = spawn(context, simulation);

    ugas_server_host host = UGAS_INIT(ugas_server_host);
    host.admit = admit;
    host.user = asked;
    ugas_server_config config = UGAS_INIT(ugas_server_config);
    config.tick_length = TICK;
    config.host = &host;
    MUST(ugas_server_new(context, simulation, &config, &side->server));
    CHECK(ugas_simulation_advance(context, simulation, 1) == UGAS_STATUS_BAD_HANDLE); /* the server took it over */
    CHECK(ugas_simulation_advance(context, side->server, 1) == UGAS_STATUS_NETWORKED);

    /* By default others see only tags and cues of a knight. Show the health of this one to everybody. */
    ugas_attribute health = UGAS_NO_ID;
    MUST(ugas_catalog_attribute(context, side->catalog, UGAS_STR("Health"), &health));
    ugas_lens lens = UGAS_INIT(ugas_lens);
    lens.kind = UGAS_LENS_KIND_FULL;
    lens.attributes = &health;
    lens.attribute_count = 1;
    MUST(ugas_server_set_lens(context, side->server, side->enemy, 0, &lens));
}

/* Gives every client that joins a knight with a sword. */
static void welcome(server_side *side, ugas_client_id client) {
    ugas_context *context = side->context;
    ugas_grant grant = UGAS_INIT(ugas_grant);
    ugas_granted_ability granted = 0;
    side->hero = spawn(context, side->server);
    MUST(ugas_catalog_ability(context, side->catalog, UGAS_STR("GA_Slash"), &grant.ability));
    MUST(ugas_ability_grant(context, side->server, side->hero, &grant, &granted));
    MUST(ugas_server_give(context, side->server, side->hero, client));
    side->joined++;
}

static void run_server(server_side *side, uint64_t now) {
    ugas_context *context = side->context;
    ugas_server_event events[16];
    size_t count = 0;
    if (now % TICK == 0) {
        MUST(ugas_server_tick(context, side->server, now));
    }
    do {
        MUST(ugas_server_events_poll(context, side->server, events, sizeof events[0], 16, &count));
        for (size_t at = 0; at < count; at++) {
            const ugas_server_event *event = &events[at];
            switch (event->kind) {
            case UGAS_SERVER_EVENT_KIND_JOINED:
                printf("server: %.*s joined\n", (int)event->credential.length, (const char *)event->credential.data);
                welcome(side, event->client);
                break;
            case UGAS_SERVER_EVENT_KIND_REFUSED:
                CHECK(event->reason == UGAS_REFUSED_REASON_DENIED && event->peer == MALLORY);
                printf("server: %.*s\n", (int)event->words.length, event->words.data);
                side->refused++;
                break;
            case UGAS_SERVER_EVENT_KIND_LEFT:
                CHECK(event->reason == UGAS_BYE_REASON_LEFT);
                side->left++;
                break;
            case UGAS_SERVER_EVENT_KIND_GAME:
                /* The server plays the montage too, and reports its completion. */
                if (event->game.kind == UGAS_EVENT_KIND_HOST_TASK_REQUESTED) {
                    MUST(ugas_task_complete(context, side->server, event->game.body.task.task,
                                            UGAS_TASK_OUTCOME_COMPLETED));
                    side->slashes++;
                }
                break;
            default:
                break;
            }
        }
    } while (count > 0);
    for (;;) {
        uint8_t bytes[UGAS_MAX_DATAGRAM];
        size_t length = 0;
        ugas_peer peer = 0;
        MUST(ugas_server_transmit(context, side->server, &peer, bytes, sizeof bytes, &length));
        if (length == 0) {
            break;
        }
        throw_in(now, SERVER, (int)peer, bytes, length);
    }
}

/* ---- a client's machine ---- */

typedef struct {
    ugas_context *context;
    ugas_catalog catalog;
    ugas_client client;
    int number;
    ugas_controller hero, enemy;
    ugas_command_key open;
    int connected, refused, confirmed, rejected, flashes, predicted;
} client_side;

static void start_client(client_side *side, const char *path, int number, const char *name) {
    ugas_context *context = NULL;
    MUST(ugas_context_new(UGAS_ABI_VERSION, &context));
    side->context = context;
    side->catalog = load(context, path);
    side->number = number;
    ugas_client_config config = UGAS_INIT(ugas_client_config);
    config.nonce = 1000u + (unsigned)number; /* a game uses a random number */
    config.credential = (ugas_bytes){(const uint8_t *)name, strlen(name)};
    MUST(ugas_client_new(context, side->catalog, &config, &side->client));
}

/* The player slashes whenever possible, until enough slashes are confirmed. */
static void play(client_side *side) {
    ugas_context *context = side->context;
    ugas_ability_info ability;
    ugas_tag cooling = UGAS_NO_ID;
    uint32_t tired = 0;
    size_t count = 0;
    if (side->hero == 0 || side->enemy == 0 || side->open != 0 || side->confirmed >= SLASHES) {
        return;
    }
    MUST(ugas_abilities_of(context, side->client, side->hero, &ability, sizeof ability, 1, &count));
    MUST(ugas_catalog_tag(context, side->catalog, UGAS_STR("Cooldown.Slash"), &cooling));
    MUST(ugas_tag_has(context, side->client, side->hero, cooling, &tired));
    if (count == 0 || tired) {
        return;
    }
    ugas_target target = {.kind = UGAS_TARGET_KIND_CONTROLLER, .controller = side->enemy};
    ugas_status status = ugas_client_activate(context, side->client, ability.granted, &target, 1, NULL, &side->open);
    CHECK(status == UGAS_STATUS_OK || status == UGAS_STATUS_REFUSED);
}

static void run_client(client_side *side, uint64_t now) {
    ugas_context *context = side->context;
    ugas_client_event events[16];
    size_t count = 0;
    MUST(ugas_client_update(context, side->client, now));
    do {
        MUST(ugas_client_events_poll(context, side->client, events, sizeof events[0], 16, &count));
        for (size_t at = 0; at < count; at++) {
            const ugas_client_event *event = &events[at];
            switch (event->kind) {
            case UGAS_CLIENT_EVENT_KIND_CONNECTED:
                side->connected++;
                break;
            case UGAS_CLIENT_EVENT_KIND_REFUSED:
                CHECK(event->body.session.reason == UGAS_REFUSED_REASON_DENIED);
                side->refused++;
                break;
            case UGAS_CLIENT_EVENT_KIND_APPEARED:
                *(event->body.own ? &side->hero : &side->enemy) = event->controller;
                break;
            case UGAS_CLIENT_EVENT_KIND_OWNERSHIP_CHANGED:
                if (event->body.own) {
                    side->hero = event->controller;
                }
                break;
            case UGAS_CLIENT_EVENT_KIND_ATTRIBUTE_CHANGED:
                printf("client: health %g -> %g\n", event->body.attribute.old_value, event->body.attribute.new_value);
                break;
            case UGAS_CLIENT_EVENT_KIND_TAG_ADDED:
                /* The cooldown is there before the server has answered. */
                side->predicted += event->controller == side->hero && side->open != 0;
                break;
            case UGAS_CLIENT_EVENT_KIND_CUE_FLASHED:
                side->flashes++;
                break;
            case UGAS_CLIENT_EVENT_KIND_CONFIRMED:
                CHECK(event->body.command.command == side->open);
                side->open = 0;
                side->confirmed++;
                break;
            case UGAS_CLIENT_EVENT_KIND_REJECTED:
                side->open = 0;
                side->rejected++;
                break;
            default:
                break;
            }
        }
    } while (count > 0);
    play(side);
    for (;;) {
        uint8_t bytes[UGAS_MAX_DATAGRAM];
        size_t length = 0;
        MUST(ugas_client_transmit(context, side->client, bytes, sizeof bytes, &length));
        if (length == 0) {
            break;
        }
        throw_in(now, side->number, SERVER, bytes, length);
    }
}

static void deliver(uint64_t now, server_side *server, client_side *clients) {
    for (int at = 0; at < IN_FLIGHT; at++) {
        packet *one = &flying[at];
        if (one->length == 0 || one->due > now) {
            continue;
        }
        ugas_bytes bytes = {one->bytes, one->length};
        if (one->to == SERVER) {
            ugas_context *context = server->context;
            MUST(ugas_server_receive(context, server->server, now, (ugas_peer)one->from, bytes));
        } else {
            client_side *side = &clients[one->to - ADA];
            ugas_context *context = side->context;
            MUST(ugas_client_receive(context, side->client, now, bytes));
        }
        one->length = 0;
    }
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "duel.yaml";
    int asked = 0;
    static server_side server;
    static client_side clients[2];
    client_side *ada = &clients[0], *mallory = &clients[1];
    start_server(&server, path, &asked);
    start_client(ada, path, ADA, "Ada");
    start_client(mallory, path, MALLORY, "Mallory");

    uint64_t now = 0, quiet = 0;
    for (; now < 40000000 && quiet < 2000000; now += STEP) {
        deliver(now, &server, clients);
        run_server(&server, now);
        run_client(ada, now);
        run_client(mallory, now);
        quiet = ada->confirmed >= SLASHES && server.slashes >= SLASHES ? quiet + STEP : 0;
    }
    printf("%d slashes in %.1f s, %d rejected on the way\n", ada->confirmed, (double)now / 1e6, ada->rejected);
    CHECK(server.joined == 1 && ada->connected == 1 && asked >= 2);
    CHECK(server.refused >= 1 && mallory->refused == 1 && mallory->connected == 0);
    CHECK(ada->confirmed == SLASHES && server.slashes == SLASHES && ada->predicted >= SLASHES);
    CHECK(ada->flashes == SLASHES);

    /* Three slashes of 40 * 100 / (100 + 100) = 20, and both sides know it. */
    CHECK(health_of(server.context, server.catalog, server.server, server.enemy) == 40.0);
    CHECK(health_of(ada->context, ada->catalog, ada->client, ada->enemy) == 40.0);
    CHECK(health_of(ada->context, ada->catalog, ada->client, ada->hero) == 100.0);
    ugas_controller remote = 0;
    ugas_context *context = ada->context;
    MUST(ugas_client_remote(context, ada->client, ada->enemy, &remote));
    CHECK(remote == server.enemy);
    ugas_client_statistics seen = UGAS_INIT(ugas_client_statistics);
    MUST(ugas_client_look(context, ada->client, &seen));
    CHECK(seen.is_playing && seen.confirmed == SLASHES && seen.round_trip >= 80000 && seen.round_trip < 300000);
    /* Only the server changes the game: a direct change by a client is refused. */
    CHECK(ugas_controller_despawn(context, ada->client, ada->enemy) == UGAS_STATUS_NETWORKED);

    MUST(ugas_client_leave(context, ada->client));
    for (uint64_t end = now + 3000000; now < end && server.left == 0; now += STEP) {
        run_client(ada, now);
        deliver(now, &server, clients);
        run_server(&server, now);
        if (now + STEP >= end - 1000000) { /* the goodbye was lost; a real transport would notice */
            context = server.context;
            MUST(ugas_server_left(context, server.server, ADA));
            context = ada->context;
        }
    }
    CHECK(server.left == 1);
    ugas_server_statistics counted = UGAS_INIT(ugas_server_statistics);
    context = server.context;
    MUST(ugas_server_look(context, server.server, &counted));
    CHECK(counted.commands == SLASHES && counted.sent > 100 && counted.tick_length == TICK);

    MUST(ugas_context_free(&mallory->context));
    MUST(ugas_context_free(&ada->context));
    MUST(ugas_context_free(&server.context));
    printf("server and client agree\n");
    return 0;
}

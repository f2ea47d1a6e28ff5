import type { EffectUse } from "../../kernel/effect-use.ts";
import { backOff } from "../../platform/leased-queue/back-off.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { ReceivedEvent, WebhookInbox } from "../../ports/supplier-webhooks.ts";
import {
  defineEffectUse,
  type EffectDefinition,
  type EffectRecord,
  type EffectStore,
  type Move,
  unknown,
} from "../effects/index.ts";
import type { Aggregates } from "./context.ts";
import { type EventPorts, handleEvent } from "./handle-event.ts";

/**
 * What follows from a supplier's event is an effect (`modules/effects/effect.ts`) without a look-up: handling an event again stores
 * what follows from it once. An event is leased for a time, and tried ever more rarely.
 */
interface EventRecord extends EffectRecord {
  state: "waiting" | "done" | "failed";
  event: ReceivedEvent;
}

/** Who takes an event and dies with it keeps it from the others for so long. */
const LEASE = { minutes: 2 };
const RETRY = { firstMilliseconds: 1_000, longestMilliseconds: 600_000 };
/** About an hour and a half; what the event was about is then read by the slow look at orders only. */
const MOST_ATTEMPTS = 18;

/** For the reconciler: the events of one supplier. */
export function supplierEventUse(environment: Environment, ports: EventPorts): EffectUse {
  const { stores, clock } = ports;
  const store = ({ webhookInbox }: Aggregates) => eventStore(environment, webhookInbox, clock);
  const definition: EffectDefinition<EventRecord, Aggregates> = {
    done: "done",
    store,
    quietMilliseconds: ({ event }) => backOff(event.attempts, RETRY),
    recovery: { kind: "send_again", sendAgain: ({ event }) => handleOnce(ports, environment, event) },
    neverSent: () => {
      throw new Error("nothing is sent for an event");
    },
    giveBack: async () => undefined,
    unstoredEnd: "unknown",
  };
  return defineEffectUse<EventRecord, Aggregates>({
    ...{ name: `supplier_event ${environment}`, stores, clock, store },
    definitionFor: () => definition,
  });
}

async function handleOnce(
  ports: EventPorts,
  environment: Environment,
  event: ReceivedEvent,
): Promise<Move<EventRecord, Aggregates>> {
  const done = (outcome: string): Move<EventRecord, Aggregates> => ({
    kind: "done",
    end: async () => ({ result: outcome, apply: async () => undefined }),
  });
  try {
    return done(await handleEvent(ports, environment, event));
  } catch (err) {
    const { id, type, attempts } = event;
    if (attempts < MOST_ATTEMPTS) return unknown(err);
    ports.log.error({ eventId: id, type, attempts, err }, "a supplier event is given up");
    return done(`given up: ${reasonOf(err)}`);
  }
}

function eventStore(environment: Environment, inbox: WebhookInbox, clock: Clock): EffectStore<EventRecord> {
  return {
    get: async () => undefined,
    async advance(id, _guard, _to, { result } = {}) {
      await inbox.done(environment, id, String(result));
      return true;
    },
    // A lease is longer than the work.
    touch: async () => true,
    async leave(id, _workerId, until, cause) {
      await inbox.putBack(environment, id, reasonOf(cause), until);
      return true;
    },
    async claimStale(_workerId, _staleSeconds, limit) {
      const now = clock.now();
      const taken = await inbox.take(environment, limit, now.add(LEASE));
      return taken.map((event) => ({
        ...{ id: event.id, environment, kind: event.type, state: "waiting", callId: undefined },
        ...{ result: undefined, failureCode: undefined, quietUntil: undefined, createdAt: now, event },
      }));
    },
  };
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

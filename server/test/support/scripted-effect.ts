import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Failure } from "../../src/domain/errors.ts";
import {
  type EffectDefinition,
  type EffectStore,
  type EffectStores,
  failed,
  type Move,
  type Next,
  send,
} from "../../src/modules/effects/effect.ts";
import type { Effects } from "../../src/modules/effects/effects.ts";
import { type CalledEffect, executeOnce, type OnceOptions } from "../../src/modules/effects/execute-once.ts";
import { defineEffectUse, reconcileEffects } from "../../src/modules/effects/reconcile-effects.ts";
import { openDatabase, type Queryable } from "../../src/platform/database/database.ts";
import { withoutNulls } from "../../src/platform/database/without-nulls.ts";
import { createWorkerLeases, type LeasedTable } from "../../src/platform/leased-queue/worker-leases.ts";
import { createManualClock, silentLog } from "./identity.ts";
import { createTestDatabase } from "./test-database.ts";

/** `reserving` and `paying` are sent and looked up; `telling` is sent to somebody who cannot be asked. */
export type ScriptedState = "intended" | "reserving" | "reserved" | "paying" | "telling" | "made" | "failed";
export type ScriptedKind = "purchase" | "message";

export interface ScriptedRecord extends CalledEffect {
  kind: ScriptedKind;
  state: ScriptedState;
  key: string;
}

interface ScriptedRecords extends EffectStore<ScriptedRecord> {
  insert(record: { id: string; kind: ScriptedKind; key: string; callId: string }): Promise<ScriptedRecord | undefined>;
  findLive(key: string): Promise<ScriptedRecord | undefined>;
}

/** Every movement is a row, so that what moves twice is seen. */
interface Money {
  move(reference: string, kind: "hold" | "capture" | "release"): Promise<void>;
}

export interface ScriptedAggregates {
  effects: Effects;
  records: ScriptedRecords;
  money: Money;
}

type ScriptedStores = EffectStores<ScriptedAggregates>;
type ScriptedMove = Move<ScriptedRecord, ScriptedAggregates>;
type NextScripted = Next<ScriptedRecord, ScriptedAggregates>;

type Row = Omit<ScriptedRecord, "failureCode" | "quietUntil"> & {
  failureCode: string | null;
  quietUntil: Temporal.Instant | null;
};

const table: LeasedTable<Row, ScriptedRecord> = {
  name: "scripted_effect",
  open: { notIn: ["made", "failed"] },
  sending: ["reserving", "paying", "telling"],
  toRecord: withoutNulls,
};

type ManualClock = ReturnType<typeof createManualClock>;

function createRecords(db: Queryable, clock: ManualClock): ScriptedRecords {
  const now = () => sql`${clock.now().toString()}::timestamptz`;
  const one = (rows: readonly Row[]) => rows.map(table.toRecord)[0];
  return {
    ...createWorkerLeases(db, clock, table),
    async insert({ id, kind, key, callId }) {
      const { rows } = await sql<Row>`
        insert into scripted_effect (id, network, kind, key, call_id, state, worker_id, worker_seen_at, created_at, updated_at)
        values (${id}, 'sandbox', ${kind}, ${key}, ${callId}, 'intended', ${callId}, ${now()}, ${now()}, ${now()})
        on conflict (key) where state <> 'failed' do nothing returning *`.execute(db);
      return one(rows);
    },
    async findLive(key) {
      return one(
        (await sql<Row>`select * from scripted_effect where key = ${key} and state <> 'failed'`.execute(db)).rows,
      );
    },
    async get(id) {
      return one((await sql<Row>`select * from scripted_effect where id = ${id}`.execute(db)).rows);
    },
    async advance(id, { from, workerId }, to, { result, failureCode, quietUntil } = {}) {
      const { rows } = await sql`
        update scripted_effect set state = ${to}, worker_seen_at = ${now()}, updated_at = ${now()},
          result = coalesce(${result === undefined ? null : JSON.stringify(result)}::jsonb, result),
          failure_code = coalesce(${failureCode ?? null}, failure_code),
          quiet_until = coalesce(${quietUntil?.toString() ?? null}::timestamptz, quiet_until)
        where id = ${id} and state = ${from} and worker_id = ${workerId} returning id`.execute(db);
      return rows.length > 0;
    },
  };
}

/** Every mark is a row, too. */
function createMarks(db: Queryable): Effects {
  const mark = async (callId: string, effect: string) => {
    await sql`insert into scripted_mark (call_id, effect) values (${callId}, ${effect})`.execute(db);
  };
  return {
    open: (callId) => mark(callId, "open"),
    opened: async () => undefined,
    done: (callId) => mark(callId, "done"),
    failed: (callId) => mark(callId, "failed"),
  };
}

type ScriptedFault = "refused" | "lost_before_effect" | "lost_after_effect" | "late_effect";

/** Another system: it sells once for a key and can be asked about that; a message it takes as often as it comes. */
function createOtherSystem() {
  const reserved = new Set<string>();
  const payments: string[] = [];
  const messages: string[] = [];
  const faults: ScriptedFault[] = [];
  const late: (() => void)[] = [];
  async function take(effect: () => void): Promise<void> {
    const fault = faults.shift();
    if (fault === "refused") throw new Failure("booking_rejected");
    if (fault === undefined || fault === "lost_after_effect") effect();
    if (fault === "late_effect") late.push(effect);
    if (fault !== undefined) throw new Failure("outcome_unknown");
  }
  return {
    reserved,
    payments,
    messages,
    faults,
    /** Requests sent before that had no effect yet take effect now. */
    arriveLate() {
      for (const effect of late.splice(0)) effect();
    },
    port: {
      reserve: (key: string) =>
        take(() => {
          if (reserved.has(key)) throw new Error(`${key} was reserved twice`);
          reserved.add(key);
        }),
      pay: (key: string) => take(() => payments.push(key)),
      tell: (key: string) => take(() => messages.push(key)),
      find: async (key: string) => ({ isReserved: reserved.has(key), isPaid: payments.includes(key) }),
    },
  };
}

type OtherSystem = ReturnType<typeof createOtherSystem>;
const QUIET_MILLISECONDS = 1_000;

/** A purchase is reserved and then paid; a message is told. */
class ScriptedSteps {
  readonly #port: OtherSystem["port"];

  constructor(port: OtherSystem["port"]) {
    this.#port = port;
  }

  begin = ({ kind }: ScriptedRecord): ScriptedMove => (kind === "message" ? this.tell() : this.#reserve());

  async lookUp(record: ScriptedRecord): Promise<ScriptedMove> {
    const { isReserved, isPaid } = await this.#port.find(record.key);
    if (isPaid) return this.#made(record);
    return isReserved ? this.#reserved() : failed(new Failure("provider_timeout"));
  }

  tell(): ScriptedMove {
    return send<ScriptedRecord, ScriptedAggregates, void>({
      to: "telling",
      request: ({ key }) => this.#port.tell(key),
      answered: (record) => this.#made(record),
      refused: (_record, failure) => failed(failure),
    });
  }

  #reserve(): ScriptedMove {
    return send<ScriptedRecord, ScriptedAggregates, void>({
      to: "reserving",
      request: ({ key }) => this.#port.reserve(key),
      answered: () => this.#reserved(),
      refused: (_record, failure) => failed(failure),
    });
  }

  #reserved(): ScriptedMove {
    const pay = send<ScriptedRecord, ScriptedAggregates, void>({
      to: "paying",
      request: ({ key }) => this.#port.pay(key),
      answered: (record) => this.#made(record),
      refused: (_record, failure) => failed(failure),
    });
    return { kind: "step", to: "reserved", change: {}, next: () => pay };
  }

  #made({ id, key }: ScriptedRecord): ScriptedMove {
    const apply = ({ money }: ScriptedAggregates) => money.move(id, "capture");
    return { kind: "done", end: async () => ({ result: { key }, apply }) };
  }
}

function buildDefinition(
  kind: ScriptedKind,
  steps: ScriptedSteps,
): EffectDefinition<ScriptedRecord, ScriptedAggregates> {
  return {
    done: "made",
    store: ({ records }) => records,
    quietMilliseconds: () => QUIET_MILLISECONDS,
    recovery:
      kind === "purchase"
        ? { kind: "look_up", lookUp: (record): NextScripted => steps.lookUp(record) }
        : { kind: "send_again", sendAgain: (): NextScripted => steps.tell() },
    neverSent: () => new Failure("provider_unavailable"),
    giveBack: ({ money }, { id }) => money.move(id, "release"),
    unstoredEnd: "soon",
  };
}

export interface ScriptedPorts {
  stores: ScriptedStores;
  port: OtherSystem["port"];
}

/** A use of the machine over separate tables in a real database. Time moves by `clock.advance`. */
export async function openScriptedWorld() {
  const database = await createTestDatabase();
  const open = openDatabase(database.url, { poolSize: 4, onError: () => undefined });
  const { db } = open;
  const clock = createManualClock();
  let next = 0;
  await sql`create table scripted_effect (
    id text primary key, network text not null, kind text not null, key text not null, call_id text not null,
    state text not null, result jsonb, failure_code text, worker_id text, worker_seen_at timestamptz,
    quiet_until timestamptz, created_at timestamptz not null, updated_at timestamptz not null)`.execute(db);
  await sql`create unique index scripted_live on scripted_effect (key) where state <> 'failed'`.execute(db);
  await sql`create table scripted_mark (call_id text not null, effect text not null)`.execute(db);
  await sql`create table scripted_money (reference text not null, kind text not null)`.execute(db);

  const buildAggregates = (queryable: Queryable): ScriptedAggregates => ({
    effects: createMarks(queryable),
    records: createRecords(queryable, clock),
    money: {
      async move(reference, kind) {
        await sql`insert into scripted_money (reference, kind) values (${reference}, ${kind})`.execute(queryable);
      },
    },
  });
  const stores: ScriptedStores = {
    ...buildAggregates(db),
    transaction: (work) => db.transaction().execute((transaction) => work(buildAggregates(transaction))),
  };

  /** One thing that is to happen once, and another system that it happens at. */
  function newTask(kind: ScriptedKind) {
    next += 1;
    const key = `key_${next}`;
    const other = createOtherSystem();
    const alive: ScriptedPorts = { stores, port: other.port };

    async function call(ports = alive, options: OnceOptions = {}) {
      next += 1;
      const callId = `call_${next}`;
      const id = `effect_${next}`;
      const steps = new ScriptedSteps(ports.port);
      return await executeOnce<ScriptedRecord, ScriptedAggregates>(
        { stores: ports.stores, clock, definition: buildDefinition(kind, steps) },
        {
          callId,
          findLive: () => ports.stores.records.findLive(key),
          prepare: async () => ({
            async insert({ records, money }) {
              const record = await records.insert({ id, kind, key, callId });
              if (record !== undefined) await money.move(id, "hold");
              return record;
            },
            begin: steps.begin,
          }),
          inProgress: () => new Failure("in_progress"),
          outcomeUnknown: (cause) => new Failure("outcome_unknown", { cause }),
        },
        { waitMilliseconds: 120_000, answerMilliseconds: 120_000, ...options },
      );
    }

    /** One pass of the reconciler, after this time. */
    async function reconcile(after: Temporal.DurationLike, ports = alive, isOn = true): Promise<number> {
      clock.advance(after);
      next += 1;
      const definition = buildDefinition(kind, new ScriptedSteps(ports.port));
      const use = defineEffectUse<ScriptedRecord, ScriptedAggregates>({
        name: kind,
        clock,
        stores: ports.stores,
        store: ({ records }) => records,
        definitionFor: () => (isOn ? definition : undefined),
      });
      return await reconcileEffects([use], { workerId: `reconciler_${next}`, log: silentLog });
    }

    /** The stored attempts, oldest first, with the movements of money and the marks of the call of each. */
    async function books() {
      const { rows } = await sql<{ id: string; state: ScriptedState; money: string[]; marks: string[] }>`
        select id, state,
          array(select kind from scripted_money where reference = id order by kind) as money,
          array(select effect from scripted_mark where call_id = effect.call_id order by effect desc) as marks
        from scripted_effect as effect where key = ${key} order by length(id), id`.execute(db);
      return rows.map(({ state, money, marks }) => ({ state, money, marks }));
    }

    /** Polls until a worker that nobody waits for has let go. */
    async function untilLeft(): Promise<void> {
      for (;;) {
        const { rows } = await sql`select 1 from scripted_effect where key = ${key} and worker_id is not null`.execute(
          db,
        );
        if (rows.length === 0) return;
        await delay(10);
      }
    }

    return { key, other, alive, call, reconcile, books, untilLeft };
  }

  return {
    db,
    clock,
    stores,
    newTask,
    async close() {
      await open.close();
      await database.drop();
    },
  };
}

export type ScriptedWorld = Awaited<ReturnType<typeof openScriptedWorld>>;
export type ScriptedTask = ReturnType<ScriptedWorld["newTask"]>;

import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { Hex } from "../../server/src/domain/tokens.ts";

const StoredHex = z.string().transform((text): Hex => `0x${text.slice(2)}`);

/** A message as its chain showed it, and how it was attested last. */
const StoredMessage = z.object({
  nonce: StoredHex,
  chain: z.string(),
  transactionHash: StoredHex,
  logIndex: z.number(),
  message: StoredHex,
  seenAt: z.number(),
  attested: StoredHex.nullable(),
  attestation: StoredHex.nullable(),
});
export type StoredMessage = z.infer<typeof StoredMessage>;

const TRANSFER_STATES = ["attested", "minted", "burned", "expired"] as const;
/** A transfer of the Gateway. `attested`: its value is reserved until it is minted, or can no longer be. */
const StoredTransfer = z.object({
  id: z.string(),
  specHash: StoredHex,
  source: z.string(),
  destination: z.string(),
  depositor: StoredHex,
  due: z.string().transform(BigInt),
  fee: z.string().transform(BigInt),
  intent: StoredHex,
  intentSignature: StoredHex,
  attestation: StoredHex,
  signature: StoredHex,
  lastBlock: z.string().transform(BigInt),
  state: z.enum(TRANSFER_STATES),
});
export type StoredTransfer = z.infer<typeof StoredTransfer>;

const StoredFault = z.object({
  id: z.number(),
  path: z.string(),
  method: z.string().nullable(),
  tenant: z.string().nullable(),
  fault: z.string(),
  remaining: z.number(),
  delayMs: z.number(),
  armedAt: z.number(),
});
export type StoredFault = z.infer<typeof StoredFault>;

const TABLES = `
  create table if not exists message (nonce text primary key, chain text not null, transactionHash text not null,
    logIndex integer not null, message text not null, seenAt integer not null, attested text, attestation text) strict;
  create index if not exists message_transaction on message (transactionHash);
  create table if not exists transfer (id text primary key, specHash text not null unique, source text not null,
    destination text not null, depositor text not null, due text not null, fee text not null, intent text not null,
    intentSignature text not null, attestation text not null, signature text not null, lastBlock text not null,
    state text not null) strict;
  create index if not exists transfer_state on transfer (state, source, depositor);
  create table if not exists fault (id integer primary key, path text not null, method text, fault text not null,
    remaining integer not null, delayMs integer not null, armedAt integer not null) strict`;

/** Everything that was answered survives a kill: each statement is synced before it returns. */
export function openStore(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const database = new DatabaseSync(join(folder, "attester.sqlite"));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${TABLES}`);
  const all = (sql: string, ...values: (string | number)[]) => database.prepare(sql).all(...values);
  // A store of an earlier release has none.
  if (!all("pragma table_info(fault)").some(({ name }) => name === "tenant")) {
    database.exec("alter table fault add column tenant text");
  }
  const run = (sql: string, ...values: (string | number | null)[]) => database.prepare(sql).run(...values);

  return {
    findMessages: (transactionHash: Hex): StoredMessage[] =>
      StoredMessage.array().parse(
        all("select * from message where transactionHash = ? order by logIndex", transactionHash),
      ),
    findMessage: (nonce: Hex): StoredMessage | undefined =>
      StoredMessage.array().parse(all("select * from message where nonce = ?", nonce))[0],
    /** Once: a message that is there keeps the time at which it was first seen. */
    addMessage({ nonce, chain, transactionHash, logIndex, message, seenAt }: StoredMessage): void {
      run(
        `insert into message (nonce, chain, transactionHash, logIndex, message, seenAt) values (?, ?, ?, ?, ?, ?)
         on conflict (nonce) do nothing`,
        ...[nonce, chain, transactionHash, logIndex, message, seenAt],
      );
    },
    removeMessage: (nonce: Hex) => void run("delete from message where nonce = ?", nonce),
    setAttestation: (nonce: Hex, attested: Hex, attestation: Hex) =>
      void run("update message set attested = ?, attestation = ? where nonce = ?", attested, attestation, nonce),

    findTransfer: (id: string): StoredTransfer | undefined =>
      StoredTransfer.array().parse(all("select * from transfer where id = ?", id))[0],
    findTransferBySpec: (specHash: Hex): StoredTransfer | undefined =>
      StoredTransfer.array().parse(all("select * from transfer where specHash = ?", specHash))[0],
    listTransfers: (state: StoredTransfer["state"]): StoredTransfer[] =>
      StoredTransfer.array().parse(all("select * from transfer where state = ?", state)),
    /** Attested, and not burned yet. */
    listReserved: (source: string, depositor: Hex): StoredTransfer[] =>
      StoredTransfer.array().parse(
        all(
          "select * from transfer where source = ? and depositor = ? and state in ('attested', 'minted')",
          source,
          depositor,
        ),
      ),
    addTransfer(row: StoredTransfer): void {
      run(
        `insert into transfer (id, specHash, source, destination, depositor, due, fee, intent, intentSignature, attestation,
         signature, lastBlock, state) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[row.id, row.specHash, row.source, row.destination, row.depositor, String(row.due), String(row.fee)],
        ...[row.intent, row.intentSignature, row.attestation, row.signature, String(row.lastBlock), row.state],
      );
    },
    setTransferState: (id: string, state: StoredTransfer["state"]) =>
      void run("update transfer set state = ? where id = ?", state, id),

    listFaults: (): StoredFault[] =>
      StoredFault.array().parse(all("select * from fault where remaining > 0 order by id")),
    addFault({ path, method, tenant, fault, remaining, delayMs, armedAt }: Omit<StoredFault, "id">): void {
      run(
        "insert into fault (path, method, tenant, fault, remaining, delayMs, armedAt) values (?, ?, ?, ?, ?, ?, ?)",
        ...[path, method, tenant, fault, remaining, delayMs, armedAt],
      );
    },
    useFault: (id: number) => void run("update fault set remaining = remaining - 1 where id = ?", id),
    clearFaults: (tenant?: string) =>
      void (tenant === undefined ? run("delete from fault") : run("delete from fault where tenant = ?", tenant)),
    close: () => database.close(),
  };
}

export type Store = ReturnType<typeof openStore>;

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";

const Log = z.looseObject({ address: z.string(), topics: z.array(z.string()) });
/** A block with its whole transactions and their receipts, as the node said them. */
export const OldBlock = z.object({
  block: z.looseObject({ hash: z.string(), transactions: z.array(z.looseObject({ hash: z.string() })) }),
  receipts: z.array(z.looseObject({ logs: z.array(Log) })),
});
export type OldBlock = z.infer<typeof OldBlock>;
export type OldLog = z.infer<typeof Log>;

const Content = z.object({ content: z.instanceof(Uint8Array) });
const Place = z.object({ block: z.number(), position: z.number() });
const Size = z.object({ last: z.number().nullable(), blocks: z.number(), transactions: z.number() });

/** Blocks of which many are read in one go; others have their turn in between. */
const BLOCKS_AT_ONCE = 200;

/** Blocks that the node needs no more, from block 1 on, for whoever asks for them: the node would keep all of them in memory. */
export class Archive {
  readonly #database: DatabaseSync;
  #end: number;
  #weight: number;

  constructor(folder: string) {
    this.#database = new DatabaseSync(join(folder, "archive.sqlite"));
    this.#database.exec(`pragma journal_mode = wal; pragma synchronous = full;
      create table if not exists block (number integer primary key, hash text not null unique, content blob not null) strict;
      create table if not exists placed (hash text primary key, block integer not null, position integer not null)
        strict, without rowid`);
    const sizes = `select max(number) as last, count(*) as blocks, (select count(*) from placed) as transactions from block`;
    const { last, blocks, transactions } = Size.parse(this.#database.prepare(sizes).get());
    this.#end = (last ?? 0) + 1;
    this.#weight = blocks + transactions;
  }

  /** The first block that is not here. */
  get end(): number {
    return this.#end;
  }

  /** Its blocks and transactions. */
  get weight(): number {
    return this.#weight;
  }

  /** Blocks from `end` on. They survive a power cut when this returns. */
  add(blocks: readonly OldBlock[]): void {
    const addBlock = this.#database.prepare("insert into block (number, hash, content) values (?, ?, ?)");
    const addPlace = this.#database.prepare("insert into placed (hash, block, position) values (?, ?, ?)");
    let [end, weight] = [this.#end, this.#weight];
    this.#database.exec("begin immediate");
    try {
      for (const old of blocks) {
        const { hash, transactions } = old.block;
        addBlock.run(end, hash, deflateRawSync(JSON.stringify(old)));
        for (const [position, transaction] of transactions.entries()) addPlace.run(transaction.hash, end, position);
        end += 1;
        weight += 1 + transactions.length;
      }
      this.#database.exec("commit");
    } catch (error) {
      this.#database.exec("rollback");
      throw error;
    }
    [this.#end, this.#weight] = [end, weight];
  }

  byNumber(number: number): OldBlock | undefined {
    return read(this.#database.prepare("select content from block where number = ?").get(number));
  }

  byHash(hash: string): OldBlock | undefined {
    return read(this.#database.prepare("select content from block where hash = ?").get(hash.toLowerCase()));
  }

  /** The block of a transaction, and which one of it that is. */
  findPlace(hash: string): { old: OldBlock; position: number } | undefined {
    const sql = "select block, position from placed where hash = ?";
    const place = Place.optional().parse(this.#database.prepare(sql).get(hash.toLowerCase()));
    const old = place && this.byNumber(place.block);
    return place && old && { old, position: place.position };
  }

  async logs(from: number, to: number, isWanted: (log: OldLog) => boolean): Promise<OldLog[]> {
    const found: OldLog[] = [];
    const rows = this.#database.prepare("select content from block where number between ? and ? order by number");
    for (let first = from; first <= to; first += BLOCKS_AT_ONCE) {
      for (const row of rows.all(first, Math.min(to, first + BLOCKS_AT_ONCE - 1))) {
        found.push(...(read(row)?.receipts.flatMap(({ logs }) => logs.filter(isWanted)) ?? []));
      }
      await nextTurn();
    }
    return found;
  }

  close(): void {
    this.#database.close();
  }
}

function read(row: unknown): OldBlock | undefined {
  if (row === undefined) return undefined;
  return OldBlock.parse(JSON.parse(Buffer.from(inflateRawSync(Content.parse(row).content)).toString()));
}

import { z } from "zod";
import type { Archive, OldBlock, OldLog } from "./archive.ts";

/** Asks the node; a JSON-RPC answer as it came. */
type AskNode = (method: string, params: readonly unknown[]) => Promise<Buffer>;
type Params = readonly unknown[];

const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform(Number);
const Hash = z.string().regex(/^0x[0-9a-f]{64}$/i);
const one = (text: z.ZodType<string>) => z.union([text, z.array(text)]).nullish();
const LogFilter = z.looseObject({
  address: one(z.string()),
  topics: z.array(one(z.string())).nullish(),
  fromBlock: z.string().nullish(),
  toBlock: z.string().nullish(),
  blockHash: Hash.nullish(),
});
type LogFilter = z.infer<typeof LogFilter>;

/** An answer is as short as this when it says that there is nothing. */
const LONGEST_NOTHING = 400;
const NOTHING = '"result":null';
const EARLIEST = "earliest";

/** Reads of what the node may have no more. `undefined`: the archive does not have it either. */
const FROM_ARCHIVE: ReadonlyMap<string, (archive: Archive, params: Params) => unknown> = new Map([
  ["eth_getBlockByHash", (archive, [hash, isWhole]) => shown(findBlock(archive, hash), isWhole)],
  ["eth_getBlockByNumber", (archive, [number, isWhole]) => shown(findBlock(archive, number), isWhole)],
  ["eth_getBlockReceipts", (archive, [block]) => findBlock(archive, block)?.receipts],
  ["eth_getBlockTransactionCountByHash", (archive, [hash]) => countTransactions(findBlock(archive, hash))],
  ["eth_getBlockTransactionCountByNumber", (archive, [number]) => countTransactions(findBlock(archive, number))],
  ["eth_getTransactionByBlockHashAndIndex", (archive, [hash, at]) => findTransaction(findBlock(archive, hash), at)],
  [
    "eth_getTransactionByBlockNumberAndIndex",
    (archive, [number, at]) => findTransaction(findBlock(archive, number), at),
  ],
  [
    "eth_getTransactionByHash",
    (archive, [hash]) => {
      const place = findPlace(archive, hash);
      return place?.old.block.transactions[place.position];
    },
  ],
  [
    "eth_getTransactionReceipt",
    (archive, [hash]) => {
      const place = findPlace(archive, hash);
      return place?.old.receipts[place.position];
    },
  ],
]);

/** Answers a read from the node, and from the archive what the node has no more. */
export async function readWithArchive(
  archive: Archive,
  askNode: AskNode,
  answer: (result: unknown) => Buffer,
  [method, params]: readonly [string, Params],
): Promise<Buffer> {
  if (method === "eth_getLogs" && archive.end > 1) {
    const filter = LogFilter.safeParse(params[0]).data;
    if (filter !== undefined) return await readLogs(archive, askNode, answer, filter);
  }
  const said = await askNode(method, params);
  const find = FROM_ARCHIVE.get(method);
  if (find === undefined || said.length > LONGEST_NOTHING || !said.includes(NOTHING)) return said;
  const found = find(archive, params);
  return found === undefined ? said : answer(found);
}

async function readLogs(
  archive: Archive,
  askNode: AskNode,
  answer: (result: unknown) => Buffer,
  filter: LogFilter,
): Promise<Buffer> {
  const isWanted = (log: OldLog) => fits(log, filter);
  if (filter.blockHash != null) {
    const old = archive.byHash(filter.blockHash);
    if (old === undefined) return await askNode("eth_getLogs", [filter]);
    return answer(old.receipts.flatMap(({ logs }) => logs.filter(isWanted)));
  }
  const from = filter.fromBlock === EARLIEST ? 0 : Quantity.safeParse(filter.fromBlock).data;
  if (from === undefined || from >= archive.end) return await askNode("eth_getLogs", [filter]);
  const to = filter.toBlock === EARLIEST ? 0 : (Quantity.safeParse(filter.toBlock).data ?? Number.MAX_SAFE_INTEGER);
  const old: OldLog[] = [];
  let next = from;
  // The archive may grow meanwhile, and what is in it the node may lose in that very moment.
  while (next <= to && next < archive.end) {
    const last = Math.min(to, archive.end - 1);
    old.push(...(await archive.logs(next, last, isWanted)));
    next = last + 1;
  }
  if (next > to) return answer(old);
  const said = await askNode("eth_getLogs", [{ ...filter, fromBlock: `0x${next.toString(16)}` }]);
  const young = z.object({ result: z.array(z.unknown()) }).safeParse(JSON.parse(said.toString())).data;
  return young === undefined ? said : answer([...old, ...young.result]);
}

function fits({ address, topics }: OldLog, wanted: LogFilter): boolean {
  if (!matchesChoice(address, wanted.address)) return false;
  return (wanted.topics ?? []).every((choice, index) => {
    const topic = topics[index];
    return choice == null || (topic !== undefined && matchesChoice(topic, choice));
  });
}

/** An empty list stands for anything, as the node has it. */
function matchesChoice(value: string, choice: string | string[] | null | undefined): boolean {
  if (choice == null || choice.length === 0) return true;
  const all = typeof choice === "string" ? [choice] : choice;
  return all.some((wanted) => wanted.toLowerCase() === value.toLowerCase());
}

/** By hash or number. */
function findBlock(archive: Archive, value: unknown): OldBlock | undefined {
  const hash = Hash.safeParse(value).data;
  if (hash !== undefined) return archive.byHash(hash);
  const number = Quantity.safeParse(value).data;
  return number === undefined ? undefined : archive.byNumber(number);
}

function findPlace(archive: Archive, hash: unknown): ReturnType<Archive["findPlace"]> {
  const valid = Hash.safeParse(hash).data;
  return valid === undefined ? undefined : archive.findPlace(valid);
}

function shown(old: OldBlock | undefined, isWhole: unknown): unknown {
  if (old === undefined || isWhole === true) return old?.block;
  return { ...old.block, transactions: old.block.transactions.map(({ hash }) => hash) };
}

const countTransactions = (old: OldBlock | undefined): string | undefined =>
  old && `0x${old.block.transactions.length.toString(16)}`;

function findTransaction(old: OldBlock | undefined, index: unknown): unknown {
  return old?.block.transactions[Quantity.safeParse(index).data ?? -1];
}

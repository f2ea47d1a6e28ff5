import { z } from "zod";
import { tokenSymbols } from "../../../server/src/domain/tokens.ts";
import type { Deployment } from "../deployment.ts";
import type { SiteFacts } from "./site-facts.ts";

/** Our tables as they are, read past the service. */

const Amount = z.string().transform(BigInt);
const Hex = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]*$/)]);

const Purse = z.object({
  chain: z.string(),
  address: Hex,
  kind: z.string(),
  token: z.enum(tokenSymbols),
  amount: Amount,
});
const Account = z.object({ chain: z.string(), address: Hex, amount: Amount });
const Order = z.object({
  id: z.string(),
  chain: z.string(),
  purpose: z.string(),
  state: z.string(),
  hash: Hex.nullable(),
  earlier_hashes: z.array(Hex),
});
const Transfer = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  amount: Amount,
  from_chain: z.string(),
  to_chain: z.string(),
  waiting: z.string().nullable(),
});
const Withdrawal = z.object({ id: z.string(), state: z.string(), block: z.string().nullable() });
/** The last block in the books, those of the Gateway included if it is used. */
const Chain = z.object({ chain: z.string(), indexed: Amount });

export interface CrossChainBooks {
  /** The amounts of our wallets by the ledger, on each chain and of each token. */
  purses: z.infer<typeof Purse>[];
  /** The amounts of tenants in the Gateway of each chain. */
  inGateway: z.infer<typeof Account>[];
  /** Money that has left a chain and arrived nowhere. */
  inFlight: { chain: string; amount: bigint }[];
  orders: z.infer<typeof Order>[];
  transfers: z.infer<typeof Transfer>[];
}

const PURSES = `select wallet.chain, wallet.address, wallet.kind, token.symbol as token,
    coalesce((select sum(account.balance_micro) from ledger_account account
      where account.network = wallet.network and account.chain = wallet.chain and account.token = token.symbol
        and account.tenant_id is not distinct from wallet.tenant_id
        and account.kind in ('prefunded', 'held', 'outgoing', 'collection', 'collection_outgoing')), 0)::text as amount
  from wallet cross join (values ('USDC'), ('EURC')) as token (symbol)
  where wallet.network = 'sandbox' and wallet.kind in ('treasury', 'collection')`;
const IN_GATEWAY = `select wallet.chain, wallet.address, coalesce(sum(account.balance_micro), 0)::text as amount
  from wallet left join ledger_account account on account.network = wallet.network and account.chain = wallet.chain
    and account.tenant_id = wallet.tenant_id and account.kind like 'gateway%'
  where wallet.network = 'sandbox' and wallet.kind = 'treasury' group by wallet.chain, wallet.address`;
const IN_FLIGHT = `select chain, sum(balance_micro)::text as amount from ledger_account where kind = 'in_flight' group by chain`;
const ORDERS =
  "select id, chain, purpose, state, hash, earlier_hashes from chain_transaction where network = 'sandbox'";
const TRANSFERS = `select id, kind, status, amount_micro::text as amount, from_chain, to_chain, waiting
  from cross_chain_transfer`;
const WITHDRAWALS = `select id, state, withdrawal_block::text as block from gateway_withdrawal
  where state in ('requested', 'waiting')`;
const CHAINS = `select bound.chain, least(bound.indexed_number, reading.read_number)::text as indexed
  from chain_network as bound left join gateway_reading as reading on reading.network = bound.network and reading.chain = bound.chain
  where bound.network = 'sandbox'`;

export async function readCrossChainBooks(deployment: Deployment): Promise<CrossChainBooks> {
  const read = async <Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> =>
    z.array(schema).parse(await deployment.query(text));
  return {
    purses: await read(Purse, PURSES),
    inGateway: await read(Account, IN_GATEWAY),
    inFlight: await read(z.object({ chain: z.string(), amount: Amount }), IN_FLIGHT),
    orders: await read(Order, ORDERS),
    transfers: await read(Transfer, TRANSFERS),
  };
}

/** In words: transfers and withdrawals that have not ended, and blocks that the service has not read. */
export async function listUnsettled(deployment: Deployment, facts: readonly SiteFacts[]): Promise<string[]> {
  const transfers = z.array(Transfer).parse(await deployment.query(TRANSFERS));
  const withdrawals = z.array(Withdrawal).parse(await deployment.query(WITHDRAWALS));
  const chains = z.array(Chain).parse(await deployment.query(CHAINS));
  const open = transfers
    .filter(({ status }) => status !== "completed" && status !== "failed")
    .map(({ id, status, waiting }) => `${id} is ${status}${waiting === null ? "" : `: ${waiting}`}`);
  const unread = facts
    .filter(({ site, tip }) => chains.find(({ chain }) => chain === site.chain)?.indexed !== tip)
    .map(({ site }) => `blocks of ${site.name} that are not in the books`);
  const waiting = withdrawals.map(({ id, state, block }) => `${id} is ${state} for block ${block ?? "?"}`);
  return [...open, ...waiting, ...unread];
}

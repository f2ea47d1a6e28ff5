/** Adapts the parameters of a call for the node. */
type Adapt = (params: readonly unknown[], nowSeconds: number) => readonly unknown[];

const asTheyAre: Adapt = (params) => params;

const put = (params: readonly unknown[], index: number, value: unknown): unknown[] => {
  const all = [...params];
  all[index] = value;
  return all;
};

/** There is no pending state to see: what is not mined is not durable yet. */
const isLatest = (block: unknown): boolean =>
  block === undefined || block === null || block === "pending" || block === "latest";

const atBlock =
  (index: number): Adapt =>
  (params) =>
    params.length >= index && isLatest(params[index]) ? put(params, index, "latest") : params;

const STATE_OVERRIDES = 2;
const BLOCK_OVERRIDES = 3;

/**
 * On an idle chain the last block may be hours old, and a call would run at its time: a deadline that has passed would look open.
 * Other networks have a block every few seconds; here the call gets the clock of the block that it would be in.
 */
const atBlockAndNow: Adapt = (params, nowSeconds) => {
  if (params.length === 0 || !isLatest(params[1])) return params;
  const called = put(params, 1, "latest");
  if (params.length > BLOCK_OVERRIDES) return called;
  if (params.length <= STATE_OVERRIDES) called[STATE_OVERRIDES] = null;
  return put(called, BLOCK_OVERRIDES, { time: `0x${nowSeconds.toString(16)}` });
};

/** Everything that a client may ask of the node. Nothing here changes the chain. */
export const READ_METHODS: ReadonlyMap<string, Adapt> = new Map([
  ["eth_accounts", asTheyAre],
  ["eth_blobBaseFee", asTheyAre],
  ["eth_blockNumber", asTheyAre],
  ["eth_call", atBlockAndNow],
  ["eth_chainId", asTheyAre],
  ["eth_createAccessList", atBlock(1)],
  ["eth_estimateGas", atBlockAndNow],
  ["eth_feeHistory", atBlock(1)],
  ["eth_gasPrice", asTheyAre],
  ["eth_getBalance", atBlock(1)],
  ["eth_getBlockByHash", asTheyAre],
  ["eth_getBlockByNumber", atBlock(0)],
  ["eth_getBlockReceipts", atBlock(0)],
  ["eth_getBlockTransactionCountByHash", asTheyAre],
  ["eth_getBlockTransactionCountByNumber", atBlock(0)],
  ["eth_getCode", atBlock(1)],
  ["eth_getFilterChanges", asTheyAre],
  ["eth_getFilterLogs", asTheyAre],
  ["eth_getLogs", asTheyAre],
  ["eth_getProof", atBlock(2)],
  ["eth_getStorageAt", atBlock(2)],
  ["eth_getTransactionByBlockHashAndIndex", asTheyAre],
  ["eth_getTransactionByBlockNumberAndIndex", atBlock(0)],
  ["eth_getTransactionByHash", asTheyAre],
  ["eth_getTransactionCount", atBlock(1)],
  ["eth_getTransactionReceipt", asTheyAre],
  ["eth_getUncleCountByBlockHash", asTheyAre],
  ["eth_getUncleCountByBlockNumber", atBlock(0)],
  ["eth_maxPriorityFeePerGas", asTheyAre],
  ["eth_newBlockFilter", asTheyAre],
  ["eth_newFilter", asTheyAre],
  ["eth_syncing", asTheyAre],
  ["eth_uninstallFilter", asTheyAre],
  ["net_listening", asTheyAre],
  ["net_version", asTheyAre],
  ["web3_clientVersion", asTheyAre],
]);

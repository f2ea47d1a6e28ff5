import type { Micro } from "../../domain/money.ts";
import { type ByChain, labelChain, listChains, mapChains, nameChain } from "../../kernel/contracts/by-chain.ts";
import { defineJob } from "../../kernel/contracts/job.ts";
import { notServed } from "../../kernel/contracts/module.ts";
import { treasuryEndings } from "./chain-endings.ts";
import { type Aggregates, defineModule } from "./context.ts";
import { describeRates } from "./describe-rates.ts";
import { equipMissingTenants, equipSandboxTenant, fundPayer, waitForEquipment } from "./equip-tenants.ts";
import { createReconciler, type LedgerReconciler } from "./reconcile-ledger.ts";
import { treasuryRoutes } from "./routes.ts";
import { split } from "./split-operation.ts";
import { checkTreasury } from "./tools/check-treasury.ts";
import { quoteFx } from "./tools/quote-fx.ts";
import { readTransaction } from "./tools/read-transaction.ts";
import { sendTokens } from "./tools/send-tokens.ts";
import { settleSplit } from "./tools/settle-split.ts";
import { transfer } from "./transfer-operation.ts";
import { walletGate } from "./wallet-gate.ts";
import { describeWallet } from "./wallets/describe-wallet.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "treasury.ledgerReconcilers": ByChain<LedgerReconciler>;
  }
  interface ModuleSettings {
    readonly "treasury.sandboxBalanceUsdc": Micro;
  }
}

const RECONCILE_MILLISECONDS = 30_000;
/** While blocks are read one after the other. */
const RECONCILE_REST_MILLISECONDS = 3_000;
const EQUIP_MILLISECONDS = 30_000;
const READ_BLOCKS = { name: "chain_network", restMilliseconds: RECONCILE_REST_MILLISECONDS };
/** A node that does not answer must not delay a stop. */
const STOP_WAIT_MILLISECONDS = 1_000;

/** A report does not wait longer for current rates. */
const RATES_MILLISECONDS = 3_000;

export const treasuryModule = defineModule({
  name: "treasury",
  tools: [checkTreasury, sendTokens, settleSplit, quoteFx, readTransaction],
  routes: treasuryRoutes,
  chainOperations: [transfer, split],
  chainEndings: treasuryEndings,
  parts: {
    ledgerReconcilers: ({ chains, stores, log }) =>
      mapChains(chains, (openedChain) => createReconciler(openedChain, { stores, log })),
  },
  async facts({ chains }) {
    const production = chains.home("production");
    if (production === undefined) return [];
    const { tokens, splitter } = production.chain;
    const ofEurc = notServed([sendTokens], "for EURC until CHAIN_EURC is set");
    return [
      ...(tokens.EURC === undefined ? [ofEurc] : []),
      ...(splitter === undefined ? [notServed([settleSplit], "until CHAIN_SPLITTER is set")] : []),
    ];
  },
  async account({ stores, chains, fx }, caller) {
    const { facts = {}, missing = [] } = await describeWallet(stores, chains, caller);
    return { facts, missing: [...missing, ...describeRates(await fx.table(AbortSignal.timeout(RATES_MILLISECONDS)))] };
  },
  gates: ({ stores }) => [walletGate(stores)],
  equipTenant: (aggregates: Aggregates, tenantId, { sandboxBalanceUsdc }) =>
    equipSandboxTenant(aggregates, tenantId, sandboxBalanceUsdc),
  async prepare({ stores, equipTenant }) {
    await equipMissingTenants(stores, equipTenant);
  },
  async start({ stores, chains, submitters, sandboxPayer }) {
    const sandbox = chains.home("sandbox");
    const submitter = submitters.home("sandbox");
    if (sandbox === undefined || submitter === undefined) return;
    const { key } = sandbox.chain;
    await fundPayer(stores, key, sandboxPayer.address);
    await waitForEquipment(stores, key, submitter);
  },
  jobs({ chains, chainOpener, ledgerReconcilers, submitters, stores, equipTenant }) {
    const reconciling = chains.keys.map((key) =>
      defineJob({
        name: `reconcile-ledger ${nameChain(chains, key)}`,
        everyMilliseconds: RECONCILE_MILLISECONDS,
        // A live chain makes blocks all the time.
        ...(chains.at(key)?.isLive === false ? { queue: READ_BLOCKS } : {}),
        stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
        run: async () => ledgerReconcilers.at(key)?.runOnce(),
      }),
    );
    const sandbox = submitters.home("sandbox");
    if (sandbox === undefined) return reconciling;
    // Whatever creates tenants need not know the development chain.
    const equipping = defineJob({
      name: "equip-tenants",
      everyMilliseconds: EQUIP_MILLISECONDS,
      queue: { name: "tenant" },
      async run() {
        if ((await equipMissingTenants(stores, equipTenant)) > 0) sandbox.wake();
      },
    });
    // A parked chain stays as it was when it was last compared.
    const reconcilingUsed = defineJob({
      name: "reconcile-ledger on demand",
      everyMilliseconds: RECONCILE_MILLISECONDS,
      stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
      run: () => Promise.all(chainOpener.listUsed().map((key) => ledgerReconcilers.at(key)?.runOnce())),
    });
    return [...reconciling, reconcilingUsed, equipping];
  },
  gauges: ({ ledgerReconcilers }) => [
    {
      name: "wayfare_ledger_chain_difference_micro",
      help: "Difference between ledger and chain in micro-units at the last comparison. Anything but 0 stops payments.",
      labelNames: ["network", "chain", "token"],
      read: () =>
        listChains(ledgerReconcilers).flatMap(([key, reconciler]) =>
          Object.entries(reconciler.differences()).map(([token, micro]) => ({
            labels: { network: key.environment, ...labelChain(ledgerReconcilers, key), token },
            value: Number(micro),
          })),
        ),
    },
  ],
});

import { defineModule } from "../../kernel/module.ts";
import { treasuryEndings } from "./chain-endings.ts";
import { drip } from "./drip-operation.ts";
import { mint } from "./mint-operation.ts";
import { split } from "./split-operation.ts";
import { createWallets } from "./store-wallets.ts";
import { checkTreasury } from "./tools/check-treasury.ts";
import { faucetDrip } from "./tools/faucet-drip.ts";
import { quoteFx } from "./tools/quote-fx.ts";
import { sendTokens } from "./tools/send-tokens.ts";
import { settleSplit } from "./tools/settle-split.ts";
import { transfer } from "./transfer-operation.ts";

export const treasuryModule = defineModule({
  name: "treasury",
  needs: ["chain", "ledger"],
  tools: [checkTreasury, sendTokens, settleSplit, faucetDrip, quoteFx],
  stores: ({ db, clock, vault }) => ({
    wallets: createWallets({ db, vault, clock }),
  }),
  chainOperations: [transfer, split, drip, mint],
  chainEndings: treasuryEndings,
});

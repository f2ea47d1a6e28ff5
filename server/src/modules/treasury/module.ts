import { defineModule } from "../../kernel/module.ts";
import { treasuryEndings } from "./chain-endings.ts";
import { createWallets } from "./store-wallets.ts";
import { checkTreasury } from "./tools/check-treasury.ts";
import { faucetDrip } from "./tools/faucet-drip.ts";
import { quoteFx } from "./tools/quote-fx.ts";
import { sendTokens } from "./tools/send-tokens.ts";
import { settleSplit } from "./tools/settle-split.ts";

export const treasuryModule = defineModule({
  name: "treasury",
  needs: ["ledger"],
  tools: [checkTreasury, sendTokens, settleSplit, faucetDrip, quoteFx],
  stores: ({ db, clock, vault }) => ({
    wallets: createWallets({ db, vault, clock }),
  }),
  chainEndings: treasuryEndings,
});

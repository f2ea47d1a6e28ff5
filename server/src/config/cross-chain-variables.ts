import { choiceAmong, withDefault } from "./values.ts";

/** Money between chains. */
export const crossChainVariables = {
  bridgeFinality: withDefault(
    "BRIDGE_FINALITY",
    "standard",
    "`standard`: transfers between chains wait until the source chain is final. `fast`: they arrive earlier, where the bridge offers that, for its fee.",
    choiceAmong("standard", "fast"),
  ),
};

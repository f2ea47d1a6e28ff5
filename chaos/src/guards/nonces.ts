import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, repository } from "../../../contracts/scripts/solc.ts";
import type { Replacement } from "../replace-source.ts";

const SOURCE = "contracts/src/bridge/MessageTransmitterV2.sol";
const CHECK = 'require(usedNonces[header.nonce] == 0, "Nonce already used");';
const GENERATED = "generated/contracts/message-transmitter.ts";

/** Chains whose contracts take a message as often as somebody delivers it. */
export function withoutNonceCheck(): readonly Replacement[] {
  const broken = compile([SOURCE], (path, text) => {
    if (path !== SOURCE) return text;
    if (text.split(CHECK).length !== 2) throw new Error(`${SOURCE} does not have once: ${CHECK}`);
    return text.replace(CHECK, "");
  }).find(SOURCE, "MessageTransmitterV2");
  const [, bytecode = ""] =
    /Bytecode = "(0x[0-9a-f]+)"/.exec(readFileSync(join(repository, "server/src", GENERATED), "utf8")) ?? [];
  return [{ file: GENERATED, from: bytecode, to: broken.bytecode }];
}

import type { RandomBytes } from "../../domain/ids.ts";
import type { ButtonMeaning, Content } from "./channels.ts";

const TOKEN_BYTES = 24;

/** A button whose value says nothing by itself. */
export function makeButton(
  random: RandomBytes,
  {
    label,
    looks = "plain",
    meaning,
  }: { label: string; looks?: Content["buttons"][number]["looks"]; meaning: ButtonMeaning },
): Content["buttons"][number] {
  return { value: Buffer.from(random(TOKEN_BYTES)).toString("base64url"), label, looks, ...meaning };
}

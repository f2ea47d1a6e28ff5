import type { z } from "zod";
import { Replayed } from "../../kernel/contracts/tool.ts";
import type { SendOutAnswer } from "./send-out.ts";

/** Validates the stored result, which an earlier version may have written. */
export function toToolAnswer<Output extends z.ZodType>(
  answer: SendOutAnswer,
  output: Output,
): z.output<Output> | Replayed<z.output<Output>> {
  const result = output.parse(answer.result);
  return answer.kind === "replayed" && answer.firstCallId !== null ? new Replayed(result, answer.firstCallId) : result;
}

export {
  type EffectDefinition,
  type EffectRecord,
  type EffectResult,
  type EffectStore,
  failed,
  type Move,
  type Next,
  STALE_SECONDS,
  send,
  unknown,
  Waiting,
} from "./effect.ts";
export { EffectWorker } from "./effect-worker.ts";
export type { CallBefore } from "./effects.ts";
export { ANSWER_MILLISECONDS, executeOnce, type OnceAnswer, type OnceOptions } from "./execute-once.ts";
export { defineEffectUse } from "./reconcile-effects.ts";
export { openCall } from "./store.ts";

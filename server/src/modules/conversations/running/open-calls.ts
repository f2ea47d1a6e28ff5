import { canonicalJson } from "../../../domain/canonical-json.ts";
import { newId } from "../../../domain/ids.ts";
import { wordsIn } from "../../../domain/texts.ts";
import type { CatalogEntry } from "../../../kernel/contracts/catalog.ts";
import type { Principal } from "../../../ports/identity.ts";
import type { ModelToolResult } from "../../../ports/language-model.ts";
import { readAnswer } from "../guards/read-answer.ts";
import { redactArguments, redactText } from "../guards/redact.ts";
import { FIND_TOOLS } from "../model-input/offered-tools.ts";
import type { OpenConfirmation } from "../stores/store-history.ts";
import type { AnsweredConfirmation } from "../stores/store-write.ts";
import { sayEnd } from "../texts/end-texts.ts";
import { type Assessed, assessCall, findGuarded, listApprovers, requestConfirmation } from "./confirm-call.ts";
import type { KnownCall, KnownConversation } from "./known-conversation.ts";
import { type AskedCall, Stopped } from "./model-step.ts";
import { type CallerOptions, callTool, describeProblem } from "./tool-calls.ts";
import type { LoopOptions, TurnEnding } from "./turn-context.ts";
import { LEFT, type RunningTurn } from "./turn-runner.ts";

/** The same call with the same arguments so often in a turn leads nowhere. */
const MOST_EQUAL_CALLS = 3;
/** Codes of calls that the model got wrong. */
const MISTAKES: ReadonlySet<string> = new Set(["tool_not_found", "invalid_input", "repeated_call", "missing_scope"]);
const TOO_LATE = { code: "not_run", detail: "The turn ended before the call." };
const DECLINED = { code: "declined", detail: "The user said no." };
const WITHDRAWN = { code: "withdrawn", detail: "The user wrote something else instead of a yes or no." };

/**
 * The calls of a step: reads run at once; a write or a spend is shown to the user and runs after a yes. All are stored before
 * any runs, and each has one idempotency key for good, so that it takes effect once, however often it is tried.
 */
export class OpenCalls {
  readonly #options: LoopOptions;
  readonly #running: RunningTurn;
  readonly #known: KnownConversation;
  readonly #calling: CallerOptions;
  readonly #scopes: readonly string[];
  /** Stored by this attempt at the turn, so that nobody has tried them before. */
  readonly #new = new Set<string>();
  /** The user is still to answer it. */
  #open: OpenConfirmation | undefined;
  isRepeating = false;
  wereAllMistakes = false;

  constructor(options: LoopOptions, running: RunningTurn, principal: Principal, known: KnownConversation) {
    this.#options = options;
    this.#running = running;
    this.#known = known;
    this.#scopes = principal.scopes;
    this.#open = known.confirmation;
    const { turn, caller, stop } = running;
    this.#calling = {
      kernel: options.kernel,
      catalog: options.catalog,
      turn,
      principal,
      confirmPrincipal: caller?.confirmPrincipal ?? (() => options.identity.findPrincipal(turn.keyId, { fresh: true })),
      signal: stop.signal,
      until: performance.now() + options.budgets.turn.milliseconds,
    };
  }

  /** The new message settles a confirmation that waits. After a death of the process, open calls go on. */
  async goOn(): Promise<TurnEnding | undefined> {
    const { turn } = this.#running;
    const { confirmation, own } = this.#known;
    if (turn.continuesCall !== undefined) return await this.#continueAfterApproval(turn.continuesCall);
    const asked = this.#known.calls.find(({ id }) => id === confirmation?.callId);
    if (confirmation !== undefined && asked !== undefined && asked.turnId !== turn.id) {
      return await this.#answer(confirmation, asked, turn.text ?? "");
    }
    const open = own.isAnswer ? this.#listOpen() : this.#listOpen().filter(({ turnId }) => turnId === turn.id);
    return open.length === 0 ? undefined : await this.#process(open);
  }

  /** Stores a step's calls, then runs what may run. An ending: the user or an approver is asked first. */
  async run(asked: readonly AskedCall[]): Promise<TurnEnding | undefined> {
    const { journal, turn } = this.#running;
    const step = this.#known.own.steps.length - 1;
    const ids = new Set<string>();
    const calls = asked.map(({ id, name, args }, ordinal) => {
      // Ids of a model are its own business, but its history needs them to be different.
      const modelCallId = ids.has(id) || id === "" ? `${id}-${ordinal}` : id;
      ids.add(modelCallId);
      return this.#store({ turnId: turn.id, step, ordinal, modelCallId, tool: name, args: args ?? {} }, undefined);
    });
    this.isRepeating = calls.some((call) => this.#countEqual(call) > MOST_EQUAL_CALLS);
    await journal.flush();
    for (const call of calls) {
      if (this.#countEqual(call) < MOST_EQUAL_CALLS) continue;
      this.#fail(call, "repeated_call", "The same call was already made in this turn. Use its result.");
    }
    const ending = await this.#process(calls);
    this.wereAllMistakes = calls.every(({ outcome, result }) => outcome === "failed" && MISTAKES.has(readCode(result)));
    return ending;
  }

  /** After a stop: what has not begun never will. */
  withdrawAll(): void {
    for (const call of this.#listOpen()) {
      // An attempt before this one may have begun it.
      const mayHaveRun = this.#running.isResumed && call.isConfirmed && !this.#new.has(call.id);
      if (mayHaveRun) this.#fail(call, "outcome_unknown", "The turn was stopped while the call may have been running.");
      else this.#end(call, "withdrawn", TOO_LATE);
    }
    this.#answerConfirmation("withdrawn");
  }

  #answerConfirmation(state: AnsweredConfirmation["state"]): void {
    if (this.#open === undefined) return;
    this.#running.journal.answerConfirmation({ id: this.#open.id, state });
    this.#open = undefined;
  }

  #listOpen(): readonly KnownCall[] {
    return this.#known.calls.filter(({ state }) => state === "stored" || state === "confirming");
  }

  #store(
    call: Pick<KnownCall, "turnId" | "step" | "ordinal" | "modelCallId" | "tool" | "args">,
    firstCall: string | undefined,
  ): KnownCall {
    const { journal } = this.#running;
    const known: KnownCall = {
      ...call,
      id: newId("tcl_", this.#options.clock.now().epochMilliseconds),
      state: "stored",
      firstCall,
      outcome: undefined,
      result: undefined,
      meterId: undefined,
      price: undefined,
      isConfirmed: firstCall !== undefined,
    };
    this.#known.own.calls.push(known);
    this.#new.add(known.id);
    journal.storeCall(known);
    const entry = this.#find(call.tool);
    const shown = entry === undefined ? redactText(call.args) : redactArguments(entry, readValidated(entry, call.args));
    journal.emit("tool_call", { toolCallId: known.id, tool: call.tool, args: shown });
    return known;
  }

  /** Tools that ask a model themselves do not exist for models. */
  #find(name: string): CatalogEntry | undefined {
    const entry = this.#options.catalog.find(name);
    return entry?.tool.asksModel === true ? undefined : entry;
  }

  #countEqual({ tool, args }: KnownCall): number {
    const same = canonicalJson(args);
    return this.#known.own.calls.filter((call) => call.tool === tool && canonicalJson(call.args) === same).length;
  }

  async #process(calls: readonly KnownCall[]): Promise<TurnEnding | undefined> {
    const open = calls.filter(({ state }) => state !== "ended");
    await Promise.all(open.filter((call) => this.#runsAtOnce(call)).map((call) => this.#runCall(call)));
    this.#refuseStop();
    const writes = open.filter((call) => !this.#runsAtOnce(call));
    for (const [index, call] of writes.entries()) {
      const ending = call.isConfirmed ? await this.#invoke(call) : await this.#assess(call);
      if (ending?.status === "awaits_approval") for (const later of writes.slice(index + 1)) this.#withdraw(later);
      if (ending !== undefined) return ending;
      this.#refuseStop();
    }
    return undefined;
  }

  #refuseStop(): void {
    if (this.#running.stop.signal.aborted) throw new Stopped();
  }

  #runsAtOnce({ tool }: KnownCall): boolean {
    const entry = this.#find(tool);
    return entry === undefined || entry.tool.effect === "read" || entry.tool.onlyAsks;
  }

  async #runCall(call: KnownCall): Promise<void> {
    if (call.tool === FIND_TOOLS) {
      this.#end(call, "ok", { tools: this.#options.offeredTools.find(this.#scopes, call.args) });
      return;
    }
    const entry = this.#find(call.tool);
    if (entry === undefined)
      return this.#fail(call, "tool_not_found", "There is no tool with this name. Use find_tools.");
    // A read that fetches an address tells its owner what the address says.
    const guarded = findGuarded(call.args, this.#known, this.#options);
    if (guarded !== undefined) return this.#fail(call, guarded.code, guarded.detail);
    await this.#invoke(call);
  }

  /** The stored call, once: the answer of an earlier attempt is the answer of this one. */
  async #invoke(call: KnownCall): Promise<TurnEnding | undefined> {
    const { journal, stop } = this.#running;
    const ended = await callTool(this.#calling, {
      tool: call.tool,
      args: call.args,
      idempotencyKey: call.firstCall ?? call.id,
      isNew: this.#new.has(call.id) && call.firstCall === undefined,
    });
    // The process stops: another one finds out how the call ended.
    if (stop.signal.reason === LEFT) throw new Stopped();
    const { outcome, result, receipt, problem, approvalId } = ended;
    const { usageId: meterId, price } = receipt;
    const state = outcome === "awaits_approval" ? "asked" : "ended";
    Object.assign(call, { state, outcome, result, meterId, price });
    journal.changeCall({ id: call.id, state, outcome, result, meterId, price, approvalId });
    journal.emit("tool_result", {
      toolCallId: call.id,
      tool: call.tool,
      outcome,
      ...(meterId === undefined ? {} : { meterId }),
      priceMicroUsdc: price.toString(),
      ...(problem === undefined ? {} : { problem }),
    });
    if (approvalId === undefined) {
      void journal.flush().catch(() => undefined);
      return undefined;
    }
    journal.emit("approval_requested", { approvalId, tool: call.tool, approvers: listApprovers(result) });
    return {
      status: "awaits_approval",
      text: sayEnd(wordsIn(this.#known.chooseLocale(this.#running.turn.locale)))("approvalAsked"),
    };
  }

  async #assess(call: KnownCall): Promise<TurnEnding | undefined> {
    // Only where a decided approval goes on by itself: the user's own question stays.
    if (this.#open !== undefined) {
      this.#fail(call, "confirmation_pending", "The user has an open question to answer first.");
      return undefined;
    }
    const assessed = await this.#preview(call);
    if (assessed.kind === "possible") return await requestConfirmation(this.#asking(), call, assessed);
    this.#refuse(call, assessed);
    return undefined;
  }

  async #preview(call: KnownCall): Promise<Assessed> {
    const entry = this.#find(call.tool);
    if (entry !== undefined) return await assessCall(this.#asking(), entry, call);
    return {
      kind: "refused",
      ...describeProblem({ code: "tool_not_found", detail: "This tool no longer exists." }),
    };
  }

  #asking() {
    return { options: this.#options, running: this.#running, known: this.#known, calling: this.#calling };
  }

  async #answer(confirmation: OpenConfirmation, call: KnownCall, text: string): Promise<TurnEnding | undefined> {
    const meaning = readAnswer(text, call.tool);
    if (meaning === "yes") return await this.#runAfterYes(confirmation, call);
    const isNo = meaning === "no";
    if (isNo) this.#markAsAnswer();
    this.#answerConfirmation(isNo ? "declined" : "withdrawn");
    for (const open of this.#listOpen()) {
      if (open === call && isNo) this.#end(open, "declined", DECLINED);
      else this.#withdraw(open);
    }
    return undefined;
  }

  /** Runs exactly what was shown. What has changed since, or is too old, is shown anew. */
  async #runAfterYes({ planHash, expiresAt }: OpenConfirmation, call: KnownCall): Promise<TurnEnding | undefined> {
    const { journal } = this.#running;
    const { clock } = this.#options;
    this.#markAsAnswer();
    const assessed = await this.#preview(call);
    const hasExpired = Temporal.Instant.compare(expiresAt, clock.now()) <= 0;
    // A mail carries no decision: the question is asked again, and the answer is given behind its link.
    const mayDecide = this.#running.turn.channel !== "email";
    const isSame = assessed.kind === "possible" && assessed.planHash === planHash && !hasExpired && mayDecide;
    this.#answerConfirmation(isSame ? "confirmed" : "replaced");
    if (isSame) {
      Object.assign(call, { state: "stored", isConfirmed: true });
      journal.changeCall({ id: call.id, state: "stored" });
    } else if (assessed.kind === "refused") {
      this.#refuse(call, assessed);
    }
    // The yes is stored before anything runs.
    await journal.flush();
    if (assessed.kind === "possible" && !isSame) {
      const again = hasExpired ? "expired" : assessed.planHash === planHash ? undefined : "changed";
      return await requestConfirmation(this.#asking(), call, assessed, again);
    }
    return await this.#process(this.#listOpen());
  }

  #markAsAnswer(): void {
    this.#running.journal.markAsAnswer();
    this.#known.own.isAnswer = true;
  }

  /** The approver has decided: the same call goes on, in a step of its own. */
  async #continueAfterApproval(callId: string): Promise<TurnEnding | undefined> {
    const { turn, journal } = this.#running;
    const { own } = this.#known;
    if (own.steps.length > 0) return await this.#process(own.calls);
    const first = await this.#options.turns.findCall(turn, callId);
    if (first === undefined) return { status: "answered" };
    const step = { text: "" };
    own.steps.push(step);
    journal.endStep(step);
    const { id, tool, args, firstCall } = first;
    const modelCallId = `approved-${turn.number}`;
    const call = this.#store({ turnId: turn.id, step: 0, ordinal: 0, modelCallId, tool, args }, firstCall ?? id);
    await journal.flush();
    if (first.approvalState === "pending") this.#fail(call, "approval_expired", "Nobody decided in time.");
    return await this.#process([call]);
  }

  #refuse(call: KnownCall, { problem, result }: Extract<Assessed, { kind: "refused" }>): void {
    this.#end(call, "failed", result, problem);
  }

  #fail(call: KnownCall, code: string, detail: string): void {
    this.#end(call, "failed", { code, detail }, { code, detail });
  }

  #withdraw(call: KnownCall): void {
    this.#end(call, "withdrawn", WITHDRAWN);
  }

  #end(
    call: KnownCall,
    outcome: ModelToolResult["outcome"],
    result: unknown,
    problem?: { code: string; detail: string },
  ): void {
    const { journal } = this.#running;
    Object.assign(call, { state: "ended", outcome, result });
    journal.changeCall({ id: call.id, state: "ended", outcome, result });
    journal.emit("tool_result", {
      toolCallId: call.id,
      tool: call.tool,
      outcome,
      ...(problem === undefined ? {} : { problem }),
    });
  }
}

function readCode(result: unknown): string {
  return typeof result === "object" && result !== null && "code" in result ? String(result.code) : "";
}

/** As the tool will read it; as it came if that is not possible. */
function readValidated({ tool }: CatalogEntry, args: unknown): unknown {
  const read = tool.input.safeParse(args);
  return read.success ? read.data : args;
}

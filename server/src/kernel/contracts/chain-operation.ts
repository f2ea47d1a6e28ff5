import { z } from "zod";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { TokenSymbol } from "../../domain/tokens.ts";
import type { ChainReceipt, TokenMovement } from "../../ports/chain/chain.ts";
import type {
  Authorization,
  ChainOperation,
  ChainOperations,
  EncodedCall,
  GasCeiling,
  OperationCall,
  OperationEvent,
  Outgoing,
  StoredOperation,
} from "../../ports/chain/chain-operation.ts";

/** Everything there is to say of a kind of chain operation. The submitter and the adapter know no kind by its name. */
export interface ChainOperationDefinition<Input extends { token: TokenSymbol }> {
  /** Stored in rows: it never changes. */
  kind: string;
  /** Reads the stored members, and writes them again: a codec of `domain/stored-fields.ts` for each that JSON has no form for. */
  input: z.ZodType<Input, Readonly<Record<string, unknown>>>;
  /** What the holder of a wallet signs; left out: the relayer's own transaction is enough. */
  authorize?(call: OperationCall<Input>): Authorization;
  /** `signature`: of the authorization, when a wallet of ours signs it. */
  encode(call: OperationCall<Input>, signature: EncodedCall["data"]): EncodedCall;
  gasCeiling(call: OperationCall<Input>): GasCeiling | Promise<GasCeiling>;
  outcome: OperationOutcome<Input>;
}

/** How its outcome is told. */
interface OperationOutcome<Input> {
  /** What it takes out of a wallet of ours, by an authorization that the wallet signs and can withdraw. */
  outgoing?(input: Input): Omit<Outgoing, "token">;
  /** Whether a movement of its token is what it moves; left out: it moves nothing by itself. */
  isMovedBy?(input: Input, movement: TokenMovement): boolean;
  /** Whether a successful transaction did what it is for; left out: when it has a movement that `isMovedBy` says yes to. */
  tookEffect?(input: Input, receipt: ChainReceipt): boolean;
  /** What tells that another transaction than ours carried it out, where no authorization of the token does. */
  event?(call: OperationCall<Input>): OperationEvent | undefined;
  /** True: it waits while money stands still on its chain, although nothing leaves a wallet of ours. */
  waitsWhileStopped?: boolean;
}

/** A kind, for the module that it belongs to. */
export interface DefinedOperation<Input> extends ChainOperation {
  /** What the row stores. Throws when it could not be read again. */
  of(input: Input): StoredOperation;
  /** Undefined: it is of another kind. */
  read(stored: StoredOperation | undefined): Input | undefined;
}

export function defineChainOperation<Input extends { token: TokenSymbol }>(
  definition: ChainOperationDefinition<Input>,
): DefinedOperation<Input> {
  const { kind, input: schema, outcome } = definition;
  /** A row is asked many things, and read once. */
  const known = new WeakMap<StoredOperation, Input>();

  function inputOf(stored: StoredOperation): Input {
    const before = known.get(stored);
    if (before !== undefined) return before;
    const { kind: storedKind, ...members } = stored;
    if (storedKind !== kind) throw new Error(`a chain operation of kind ${storedKind} is not of kind ${kind}`);
    const input = schema.parse(members);
    known.set(stored, input);
    return input;
  }

  const typed = (call: OperationCall<StoredOperation>): OperationCall<Input> => ({
    ...call,
    input: inputOf(call.input),
  });
  const isMovedBy = (input: Input, movement: TokenMovement): boolean =>
    movement.token === input.token && outcome.isMovedBy?.(input, movement) === true;

  return {
    kind,
    waitsWhileStopped: outcome.outgoing !== undefined || outcome.waitsWhileStopped === true,
    of(input) {
      const stored = { kind, ...z.encode(schema, input) };
      inputOf(stored);
      return stored;
    },
    read: (stored) => (stored?.kind === kind ? inputOf(stored) : undefined),
    authorize: (call) => definition.authorize?.(typed(call)),
    encode: (call, signature) => definition.encode(typed(call), signature),
    gasCeiling: async (call) => await definition.gasCeiling(typed(call)),
    outgoing(stored) {
      const input = inputOf(stored);
      return outcome.outgoing && { ...outcome.outgoing(input), token: input.token };
    },
    isMovedBy: (stored, movement) => isMovedBy(inputOf(stored), movement),
    tookEffect(stored, receipt) {
      if (!receipt.succeeded) return false;
      const input = inputOf(stored);
      if (outcome.tookEffect !== undefined) return outcome.tookEffect(input, receipt);
      return receipt.movements.some((movement) => isMovedBy(input, movement));
    },
    event: (call) => outcome.event?.(typed(call)),
  };
}

/** Throws when two modules have defined the same kind. */
export function collectChainOperations(operations: readonly ChainOperation[]): ChainOperations {
  const byKind = new Map<string, ChainOperation>();
  for (const operation of operations) {
    if (byKind.has(operation.kind)) throw new Error(`the chain operation ${operation.kind} is defined twice`);
    byKind.set(operation.kind, operation);
  }
  return {
    of({ kind }) {
      const operation = byKind.get(kind);
      if (operation === undefined) throw new Error(`no module has defined the chain operation ${kind}`);
      return operation;
    },
  };
}

/** Whether two operations would do the same. */
export function isSameOperation(left: StoredOperation, right: StoredOperation): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

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
  SignedMessage,
  StoredOperation,
} from "../../ports/chain/chain-operation.ts";

/** Defines a kind of chain operation. The submitter and the adapter know no kind by name. */
export interface ChainOperationDefinition<Input extends { token: TokenSymbol }> {
  /** Stored in rows: never changes. */
  kind: string;
  /** Reads and writes the stored members; members without a JSON form use a codec of `domain/stored-fields.ts`. */
  input: z.ZodType<Input, Readonly<Record<string, unknown>>>;
  /** The authorization that the holder of a wallet signs; left out if the relayer's own transaction suffices. */
  authorize?(call: OperationCall<Input>): Authorization;
  /** A second message that a wallet of ours signs, such as a quote of the operator's; left out if one signature suffices. */
  countersign?(call: OperationCall<Input>): SignedMessage;
  /** The signatures are those of the authorization and of the second message, if wallets of ours sign them. */
  encode(
    call: OperationCall<Input>,
    signature: EncodedCall["data"],
    countersignature: EncodedCall["data"],
  ): EncodedCall;
  gasCeiling(call: OperationCall<Input>): GasCeiling | Promise<GasCeiling>;
  outcome: OperationOutcome<Input>;
}

/** How its outcome is recognised. */
interface OperationOutcome<Input> {
  /** The amount that leaves a wallet of ours by an authorization that the wallet signs and can withdraw. */
  outgoing?(input: Input): Omit<Outgoing, "token">;
  /** Whether a movement of its token belongs to it; left out if it moves nothing by itself. */
  isMovedBy?(input: Input, movement: TokenMovement): boolean;
  /** Whether a successful transaction had its effect; by default, whether any movement satisfies `isMovedBy`. */
  tookEffect?(input: Input, receipt: ChainReceipt): boolean;
  /** The event that shows that another transaction carried it out, where no authorization of the token does. */
  event?(call: OperationCall<Input>): OperationEvent | undefined;
  /** True: waits while money is stopped on its chain, although nothing leaves a wallet of ours. */
  waitsWhileStopped?: boolean;
}

/** A kind, as its module sees it. */
export interface DefinedOperation<Input> extends ChainOperation {
  /** The form stored in the row. Throws if it could not be read again. */
  of(input: Input): StoredOperation;
  /** Undefined if it is of another kind. */
  read(stored: StoredOperation | undefined): Input | undefined;
}

export function defineChainOperation<Input extends { token: TokenSymbol }>(
  definition: ChainOperationDefinition<Input>,
): DefinedOperation<Input> {
  const { kind, input: schema, outcome } = definition;
  /** A row is asked many questions, and parsed once. */
  const known = new WeakMap<StoredOperation, Input>();

  function parseInput(stored: StoredOperation): Input {
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
    input: parseInput(call.input),
  });
  const isMovedBy = (input: Input, movement: TokenMovement): boolean =>
    movement.token === input.token && outcome.isMovedBy?.(input, movement) === true;

  return {
    kind,
    waitsWhileStopped: outcome.outgoing !== undefined || outcome.waitsWhileStopped === true,
    of(input) {
      const stored = { kind, ...z.encode(schema, input) };
      parseInput(stored);
      return stored;
    },
    read: (stored) => (stored?.kind === kind ? parseInput(stored) : undefined),
    authorize: (call) => definition.authorize?.(typed(call)),
    countersign: (call) => definition.countersign?.(typed(call)),
    encode: (call, signature, countersignature) => definition.encode(typed(call), signature, countersignature),
    gasCeiling: async (call) => await definition.gasCeiling(typed(call)),
    outgoing(stored) {
      const input = parseInput(stored);
      return outcome.outgoing && { ...outcome.outgoing(input), token: input.token };
    },
    isMovedBy: (stored, movement) => isMovedBy(parseInput(stored), movement),
    tookEffect(stored, receipt) {
      if (!receipt.succeeded) return false;
      const input = parseInput(stored);
      if (outcome.tookEffect !== undefined) return outcome.tookEffect(input, receipt);
      return receipt.movements.some((movement) => isMovedBy(input, movement));
    },
    event: (call) => outcome.event?.(typed(call)),
  };
}

/** Throws if two modules define the same kind. */
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

/** Whether two operations would have the same effect. */
export function isSameOperation(left: StoredOperation, right: StoredOperation): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

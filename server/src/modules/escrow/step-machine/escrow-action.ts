import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import * as steps from "../steps/index.ts";

type Steps = typeof steps;
type StepName = keyof Steps;

/** The step with this name, and its members. */
export type EscrowAction<Name extends StepName = StepName> = {
  [Key in Name]: z.output<Steps[Key]["fields"]> & { name: Key };
}[Name];

export const EscrowAction = z.union(Object.values(steps).map(({ fields }) => fields));

/** A step of a trip as a whole. */
export type TripAction = Exclude<EscrowAction, { bookingId: unknown }>;

/** A step of a reserved booking. A return comes from `release-reservation.ts`, which decides whether it is possible. */
export type BookingAction = Exclude<Extract<EscrowAction, { bookingId: unknown }>, { name: "reserve" | "return" }>;

type Bound<Name extends StepName> = ReturnType<Steps[Name]["bind"]>;

interface Binder<Name extends StepName> {
  /** Compiles only if `steps/index.ts` exports the step under its own name. */
  fields: z.ZodType<{ name: Name }>;
  bind(action: EscrowAction<Name>): Bound<Name>;
}

const binders: { readonly [Name in StepName]: Binder<Name> } = steps;

/** Binds the definition of a step to its members. */
export function toStep<Name extends StepName>(action: EscrowAction<Name>): Bound<Name> {
  return binders[action.name].bind(action);
}

export function isSameAction(one: EscrowAction, other: EscrowAction): boolean {
  return one.name === other.name && isDeepStrictEqual(toStep(one).meaning, toStep(other).meaning);
}

import type { ListTenantsAnswer } from "../answers.ts";

export type Plans = ListTenantsAnswer["plans"];

/** "Pro, 30 % off the list prices". */
export function sayPlan(plan: string, discountPercent: number): string {
  const name = plan.charAt(0).toUpperCase() + plan.slice(1);
  return `${name}, ${discountPercent === 0 ? "list prices" : `${discountPercent} % off the list prices`}`;
}

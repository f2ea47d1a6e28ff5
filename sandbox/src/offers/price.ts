// `POST /air/offers/{id}/actions/price`: what an offer with services would cost by each way to pay.
import { z } from "zod";
import { type CreditRow, isUsable, notUsable } from "../credits/rows.ts";
import { accountCurrency } from "../currencies.ts";
import { invalidField } from "../http/errors.ts";
import { formatMoney } from "../money.ts";
import type { Sandbox } from "../sandbox.ts";
import { chooseServices } from "../seats/booked.ts";
import { renderOffer } from "./render.ts";
import { type FoundOffer, offerJourney } from "./store.ts";

export const PriceBody = z.object({
  intended_payment_methods: z
    .array(
      z.object({
        type: z.enum(["card", "airline_credit", "balance", "arc_bsp_cash"]),
        card_id: z.string().optional(),
        airline_credit_id: z.string().optional(),
      }),
    )
    .default([]),
  intended_services: z.array(z.object({ id: z.string(), quantity: z.number().int().min(1) })).default([]),
});
type PriceBody = z.infer<typeof PriceBody>;

/** Credits cover what they can in the order given; every other way to pay covers the rest. */
export async function priceOffer(sandbox: Sandbox, found: FoundOffer, body: PriceBody) {
  const chosen = chooseServices(offerJourney(found), body.intended_services, [], "intended_services");
  const services = chosen.reduce((sum, { service, quantity }) => sum + service.unitMicro * BigInt(quantity), 0n);
  let open = found.offer.totalMicro + services;
  const charges = new Map<number, bigint>();
  for (const [index, method] of body.intended_payment_methods.entries()) {
    const pointer = `intended_payment_methods/${index}`;
    if (method.type === "card")
      throw invalidField("validation_inclusion", `${pointer}/type`, "Cards are not accepted by this account");
    if (method.type !== "airline_credit") continue;
    const id = method.airline_credit_id;
    if (id === undefined)
      throw invalidField(
        "validation_required",
        `${pointer}/airline_credit_id`,
        "Field 'airline_credit_id' can't be blank",
      );
    const { rows } = await sandbox.db.query<CreditRow>("SELECT * FROM airline_credits WHERE id = $1", [id]);
    const [credit] = rows;
    if (credit === undefined || !isUsable(credit, found.offer.owner.iata, sandbox.clock.nowMs()))
      throw notUsable(id, `${pointer}/airline_credit_id`);
    const worth = BigInt(credit.amount_micro);
    const covered = worth < open ? worth : open;
    charges.set(index, covered);
    open -= covered;
  }
  return {
    ...renderOffer(found.offer, found.request),
    intended_services: body.intended_services,
    intended_payment_methods: body.intended_payment_methods.map((method, index) => ({
      ...method,
      charge_amount: formatMoney(charges.get(index) ?? open),
      charge_currency: accountCurrency(),
      surcharge_amount: formatMoney(0n),
      surcharge_currency: accountCurrency(),
    })),
  };
}

// Hotel groups that do not exist, for negotiated rates of a whole chain and for loyalty numbers.
import { Hono } from "hono";
import { chance, hashedCode, pickWhole } from "../hash.ts";
import { notFound } from "../http/errors.ts";
import type { Env, Router } from "../sandbox.ts";

export type Chain = {
  readonly id: string;
  readonly name: string;
  readonly brand: { readonly id: string; readonly name: string };
  readonly loyaltyProgramme: string | null;
};

/** The supplier's own made-up programme, the only one of its list that is nobody's trade mark. */
const TEST_PROGRAMME = "duffel_hotel_group_rewards";

function makeChain(name: string, brandName: string, loyaltyProgramme: string | null): Chain {
  return {
    id: `chn_0000${hashedCode(18, "chain", name)}`,
    name: `${name} (Sandbox)`,
    brand: { id: `bra_0000${hashedCode(18, "brand", brandName)}`, name: `${brandName} (Sandbox)` },
    loyaltyProgramme,
  };
}

const TEST_CHAIN = makeChain("Duffel Hotel Group", "Test Hotels", TEST_PROGRAMME);
const CHAINS: readonly Chain[] = [
  TEST_CHAIN,
  makeChain("Kestrel Lodging", "Kestrel Rooms", null),
  makeChain("Juniper Hospitality", "Juniper Houses", null),
  makeChain("Meridian Quay", "Quay Suites", null),
];
const CHAIN_FROM_RATING = 3;

export function chooseChain(hotelId: string, rating: number, isTestHotel: boolean): Chain | null {
  if (isTestHotel) return TEST_CHAIN;
  if (rating < CHAIN_FROM_RATING || chance(hotelId, "in a chain") > 0.45) return null;
  return CHAINS[pickWhole(0, CHAINS.length - 1, hotelId, "chain")] ?? null;
}

export function isChain(id: string): boolean {
  return CHAINS.some((chain) => chain.id === id);
}

/** Short lists that fit on one page. */
export function chainRoutes(): Router {
  const routes = new Hono<Env>({ strict: false });
  const brands = CHAINS.map((chain) => chain.brand);
  routes.get("/stays/brands", (context) => context.json({ data: brands }));
  routes.get("/stays/brands/:id", (context) => {
    const brand = brands.find((candidate) => candidate.id === context.req.param("id"));
    if (brand === undefined) throw notFound();
    return context.json({ data: brand });
  });
  routes.get("/stays/loyalty_programmes", (context) => {
    const logo = `${context.env.baseUrl}/photos/${TEST_PROGRAMME}/1.svg`;
    return context.json({
      data: [
        {
          reference: TEST_PROGRAMME,
          name: "Duffel Hotel Group Rewards (Sandbox)",
          logo_url_svg: logo,
          logo_url_png_small: logo,
        },
      ],
    });
  });
  return routes;
}

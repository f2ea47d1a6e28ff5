import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import type { Flights } from "../../../ports/supplier/flights.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { Text } from "../wire.ts";
import { toCustomer, toCustomerData, WireCustomer } from "./map-orders.ts";

type Customers = Pick<Flights, "findCustomersByEmail" | "createCustomer" | "updateCustomer">;

const USERS = "/identity/customer/users";
const GROUPS = "/identity/customer/user_groups";
const MOST_OF_AN_ADDRESS = 1_000;
const WireGroup = z.object({ id: Text });

export function createCustomers(client: DuffelClient): Customers {
  return {
    async findCustomersByEmail(email) {
      const query = { email };
      const found = await client.readPages(
        { subject: "customer", schema: WireCustomer, path: USERS, query },
        MOST_OF_AN_ADDRESS,
      );
      return found.filter((one) => one.email.toLowerCase() === email.toLowerCase()).map(toCustomer);
    },

    /**
     * Sent once, as a customer created twice stays twice. A lost answer is `provider_unavailable` rather than
     * `outcome_unknown`: it moves no money, and callers look up the e-mail address before they create.
     */
    async createCustomer(customer, options) {
      const group = options?.group;
      try {
        const { id } =
          group === undefined
            ? { id: undefined }
            : await client.commit({ subject: "customer", schema: WireGroup, path: GROUPS, data: { name: group } });
        const data = toCustomerData(customer, id);
        return toCustomer(await client.commit({ subject: "customer", schema: WireCustomer, path: USERS, data }));
      } catch (error) {
        if (error instanceof Failure && error.code === "outcome_unknown") throw failure("provider_unavailable", error);
        throw error;
      }
    },

    async updateCustomer(id, customer) {
      const path = `${USERS}/${encodeURIComponent(id)}`;
      const request = { subject: "customer", schema: WireCustomer, path } as const;
      // An update replaces the whole customer, who would leave a group that is not named.
      const { group } = await client.read(request);
      const updated = await client.read({ ...request, method: "PUT", data: toCustomerData(customer, group?.id) });
      return toCustomer(updated);
    },
  };
}

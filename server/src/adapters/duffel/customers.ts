import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import type { Flights } from "../../ports/flights.ts";
import type { DuffelClient } from "./client.ts";
import { failure } from "./errors.ts";
import { toCustomer, toCustomerData, WireCustomer } from "./map-orders.ts";

type Customers = Pick<Flights, "findCustomerByEmail" | "createCustomer" | "updateCustomer">;

const USERS = "/identity/customer/users";

export function createCustomers(client: DuffelClient): Customers {
  return {
    async findCustomerByEmail(email) {
      const found = await client.read({
        subject: "customer",
        schema: z.array(WireCustomer),
        path: USERS,
        query: { email },
      });
      const customer = found.find((one) => one.email.toLowerCase() === email.toLowerCase());
      return customer === undefined ? undefined : toCustomer(customer);
    },

    /**
     * Sent once, as a customer made twice stays twice. A lost answer is `provider_unavailable` and not `outcome_unknown`: no
     * money hangs on it, and callers look the e-mail address up before they create.
     */
    async createCustomer(customer) {
      try {
        const data = toCustomerData(customer);
        return toCustomer(await client.commit({ subject: "customer", schema: WireCustomer, path: USERS, data }));
      } catch (error) {
        if (error instanceof Failure && error.code === "outcome_unknown") throw failure("provider_unavailable", error);
        throw error;
      }
    },

    async updateCustomer(id, customer) {
      const updated = await client.read({
        subject: "customer",
        schema: WireCustomer,
        method: "PUT",
        path: `${USERS}/${encodeURIComponent(id)}`,
        data: toCustomerData(customer),
      });
      return toCustomer(updated);
    },
  };
}

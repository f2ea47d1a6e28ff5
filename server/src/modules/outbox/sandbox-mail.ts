import type { Environment } from "../../ports/identity.ts";
import type { Mailer } from "../../ports/mailer.ts";

type Find = (owner: { tenantId: string; environment: Environment }) => Promise<Mailer | undefined>;

/** Where tenants see their sandbox mails. A module that shows them says so when it starts. */
export class SandboxMail {
  #find: Find = async () => undefined;

  use(find: Find): void {
    this.#find = find;
  }

  /** Undefined: the tenant has not asked to see them. */
  find: Find = (owner) => this.#find(owner);
}

import { randomBytes } from "node:crypto";
import { SIGN_IN_LINK_PATH } from "../../domain/page-paths.ts";
import type { Clock } from "../../ports/clock.ts";
import { hashToken } from "./hash-token.ts";
import type { LinkRecord, MemberId, SignIns } from "./sign-ins.ts";

const TOKEN_BYTES = 32;

/** Makes links that sign a member in once. */
export class SignInLinks {
  readonly #signIns: Pick<SignIns, "insertLink" | "endLinks">;
  readonly #clock: Clock;

  constructor({ signIns, clock }: { signIns: Pick<SignIns, "insertLink" | "endLinks">; clock: Clock }) {
    this.#signIns = signIns;
    this.#clock = clock;
  }

  /** The path of a new link, which is shown only here. */
  async create(
    { tenantId, environment, personId }: MemberId,
    { kind, provesAddress, lifeHours }: Pick<LinkRecord, "kind" | "provesAddress"> & { lifeHours: number },
  ): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const expiresAt = this.#clock.now().add({ hours: lifeHours });
    const member = { tenantId, environment, personId };
    // Whoever got an earlier invitation may be somebody else by now.
    if (kind === "invitation") await this.#signIns.endLinks(member, kind);
    await this.#signIns.insertLink({ ...member, kind, provesAddress, tokenHash: hashToken(token), expiresAt });
    return `${SIGN_IN_LINK_PATH}/${token}`;
  }
}

/** Facts that the server wrote into the page. */

export interface Membership {
  tenantId: string;
  tenantName: string;
  environment: "sandbox" | "production";
  personId: string;
  name: string;
  email: string;
  roles: readonly string[];
}

interface Boot {
  csrf: string;
  /** The session's own first. */
  memberships: readonly Membership[];
}

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root.");
export const rootElement: HTMLElement = root;

export const boot: Boot = {
  csrf: root.dataset.csrf ?? "",
  memberships: JSON.parse(root.dataset.memberships ?? "[]"),
};

const CHOSEN = "wayfare tenant";
const nameTenant = ({ tenantId, environment }: Membership): string => `${tenantId}/${environment}`;

/** Each tab shows one tenant; two tabs may show two. */
function chooseMember(): Membership {
  const chosen = sessionStorage.getItem(CHOSEN);
  const member = boot.memberships.find((one) => nameTenant(one) === chosen) ?? boot.memberships[0];
  if (member === undefined) throw new Error("Nobody is signed in.");
  return member;
}

export const member: Membership = chooseMember();
export const tenantHeader: string = nameTenant(member);

export function switchTo(other: Membership): void {
  sessionStorage.setItem(CHOSEN, nameTenant(other));
  location.assign("/dashboard");
}

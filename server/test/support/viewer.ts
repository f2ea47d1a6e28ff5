import type { WatchedPage } from "./browser.ts";
import type { TestService } from "./service.ts";

/** Signs a person with every role in to the dashboard of the service's tenant. Ends on Home. */
export async function signInViewer(service: TestService, { page }: WatchedPage, name = "Vera"): Promise<void> {
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  const person = { id: "user_viewer", name, email: "vera@example.com" };
  const link = await service.operator(async ({ persons, signInLinks }) => {
    await persons.add(owner, { ...person, roles: ["owner"] }, "test");
    const asked = { kind: "sign_in", provesAddress: true, lifeHours: 1 } as const;
    return await signInLinks.create({ ...owner, personId: person.id }, asked);
  });
  await page.goto(`${service.appUrl}${link}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
}

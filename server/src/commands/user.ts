import { newId } from "../domain/ids.ts";
import { administerScopes, DECIDES_APPROVALS } from "../domain/scopes.ts";
import { isUserId, USER_ID_RULE } from "../domain/user-ids.ts";
import { grantScopes, type PersonRole, personRoles } from "../modules/identity/index.ts";
import { systemClock } from "../ports/clock.ts";
import type { Environment } from "../ports/identity.ts";
import { type Arguments, type Command, formatTable, JSON_NOTE, type Program, UsageError } from "./command-line.ts";
import { keyJson, newKeyLines } from "./describe-identity.ts";
import type { Operator } from "./open-database.ts";
import { runIdentityProgram } from "./run-identity-program.ts";

const ACTOR = "command";
const LONGEST_NAME = 100;
const LONGEST_EMAIL = 254;
const EMAIL = /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[^\s@<>",;:]+$/;

const of = { tenant: { type: "string" }, environment: { type: "string" } } as const;
const OF_USAGE = "--tenant <tenantId> [--environment sandbox|production]";
const ROLES_USAGE = `--roles ${personRoles.join("|")},…`;

const add: Command<Operator> = {
  name: "add",
  summary: "Create a person who works for a tenant.",
  usage: `${OF_USAGE} --name <name> --email <address> ${ROLES_USAGE} [--id <userId>]`,
  positionals: [],
  options: {
    ...of,
    name: { type: "string" },
    email: { type: "string" },
    roles: { type: "string" },
    id: { type: "string" },
  },
  prepare(args) {
    const owner = readOwner(args);
    const person = {
      id: args.text("id") ?? newId("user_", systemClock.now().epochMilliseconds),
      name: args.required("name").trim(),
      email: args.required("email").trim(),
      roles: readRoles(args.required("roles")),
    };
    if (!isUserId(person.id) || person.id.startsWith("svc:")) throw new UsageError(`--id must have ${USER_ID_RULE}.`);
    if (person.name === "" || person.name.length > LONGEST_NAME || /\p{Cc}/u.test(person.name)) {
      throw new UsageError(`--name must have 1 to ${LONGEST_NAME} characters.`);
    }
    if (person.email.length > LONGEST_EMAIL || !EMAIL.test(person.email)) {
      throw new UsageError("--email must be an email address, such as ada@example.com.");
    }
    return async (operator) => {
      if ((await operator.getTenant(owner.tenantId)) === undefined) throw noTenant(owner.tenantId);
      const made = await operator.persons.add(owner, person, ACTOR);
      if (made === undefined) throw new Error(`The id ${person.id} or the address ${person.email} is already taken.`);
      const hint = `To create their own key: npm run user -- key ${made.id} --tenant ${owner.tenantId}`;
      return { text: `${made.name} is ${made.id}: ${made.roles.join(", ")}.\n${hint}`, json: { person: made } };
    };
  },
};

const key: Command<Operator> = {
  name: "key",
  summary: `Create a person's own key. It is shown once. Without --scopes it has the scopes that the roles need: an approver's, finance's, admin's and owner's has ${DECIDES_APPROVALS}, an admin's and an owner's also ${administerScopes.join(", ")}. No agent's key can have these.`,
  usage: `<userId> ${OF_USAGE} [--scopes a,b]`,
  positionals: ["userId"],
  options: { ...of, scopes: { type: "string" } },
  prepare(args) {
    const owner = readOwner(args);
    const id = args.positional(0);
    const scopes = args
      .text("scopes")
      ?.split(",")
      .map((scope) => scope.trim());
    return async (operator) => {
      const person = await operator.persons.find(owner, id);
      if (person === undefined) throw nobody(id, owner.tenantId);
      const { apiKey, key: made } = await operator.mintKey({
        tenantId: owner.tenantId,
        environment: owner.environment,
        personId: id,
        name: person.name.slice(0, LONGEST_NAME),
        scopes: scopes ?? grantScopes(person.roles, owner.environment, "key"),
        actor: ACTOR,
      });
      return {
        text: `Key minted for ${person.name}.\n${newKeyLines(made, apiKey)}`,
        json: { key: keyJson(made), apiKey },
      };
    };
  },
};

const SIGN_IN_HOURS = 1;

const signIn: Command<Operator> = {
  name: "sign-in",
  summary: "Print a link that signs a person in to the dashboard, once and within an hour.",
  usage: "<email> [--tenant <tenantId>] [--environment sandbox|production]",
  positionals: ["email"],
  options: of,
  prepare(args) {
    const email = args.positional(0);
    const tenantId = args.text("tenant");
    const environment = args.text("environment");
    return async ({ persons, signInLinks, appUrl }) => {
      const people = (await persons.withAddress(email)).filter(
        (person) =>
          (tenantId === undefined || person.tenantId === tenantId) &&
          (environment === undefined || person.environment === environment),
      );
      const [person] = people;
      if (person === undefined) {
        throw new Error(`Nobody with the address ${email} works here. Add them: npm run user -- add --help`);
      }
      const link = { kind: "sign_in", provesAddress: true, lifeHours: SIGN_IN_HOURS } as const;
      const url = `${appUrl}${await signInLinks.create({ ...person, personId: person.id }, link)}`;
      return {
        text: `${url}\nSigns in ${person.name} at ${person.tenantName} (${person.environment}), once and within an hour. Do not pass it on.`,
        json: { userId: person.id, tenantId: person.tenantId, environment: person.environment, url },
      };
    };
  },
};

const roles: Command<Operator> = {
  name: "roles",
  summary: "Change a person's roles. It applies at once; keys keep their scopes.",
  usage: `<userId> ${OF_USAGE} ${ROLES_USAGE}`,
  positionals: ["userId"],
  options: { ...of, roles: { type: "string" } },
  prepare(args) {
    const owner = readOwner(args);
    const id = args.positional(0);
    const wanted = readRoles(args.required("roles"));
    return async ({ persons }) => {
      const person = await persons.setRoles(owner, id, wanted, ACTOR);
      if (person === undefined) throw nobody(id, owner.tenantId);
      return { text: `${person.name} is ${person.roles.join(", ")}.`, json: { person } };
    };
  },
};

const remove: Command<Operator> = {
  name: "remove",
  summary: "Remove a person who has left: they can no longer decide anything, and all of their keys end at once.",
  usage: `<userId> ${OF_USAGE}`,
  positionals: ["userId"],
  options: of,
  prepare(args) {
    const owner = readOwner(args);
    const id = args.positional(0);
    return async ({ persons }) => {
      if (!(await persons.remove(owner, id, ACTOR))) throw nobody(id, owner.tenantId);
      return { text: `${id} was removed, with all of their keys.`, json: { userId: id, removed: true } };
    };
  },
};

const list: Command<Operator> = {
  name: "list",
  summary: "List the people of a tenant.",
  usage: OF_USAGE,
  positionals: [],
  options: of,
  prepare(args) {
    const owner = readOwner(args);
    return async ({ persons }) => {
      const all = await persons.list(owner);
      const rows = all.map((person) => [person.id, person.name, person.email, person.roles.join(",")]);
      const text =
        rows.length === 0 ? "This tenant has no people." : formatTable(["ID", "NAME", "EMAIL", "ROLES"], rows);
      return { text, json: { persons: all } };
    };
  },
};

function readOwner(args: Arguments): { tenantId: string; environment: Environment } {
  const environment = args.text("environment") ?? "sandbox";
  if (environment !== "sandbox" && environment !== "production") {
    throw new UsageError("--environment must be sandbox or production.");
  }
  return { tenantId: args.required("tenant"), environment };
}

function readRoles(text: string): readonly PersonRole[] {
  const wanted = new Set(text.split(",").map((role) => role.trim()));
  const known = personRoles.filter((role) => wanted.has(role));
  if (known.length === 0 || known.length < wanted.size) {
    throw new UsageError(`--roles must be one or more of ${personRoles.join(", ")}, not ${text}.`);
  }
  return known;
}

function noTenant(tenantId: string): Error {
  return new Error(`There is no tenant ${tenantId}. List them: npm run tenant -- list`);
}

function nobody(id: string, tenantId: string): Error {
  return new Error(
    `Tenant ${tenantId} has no person ${id} there. List them: npm run user -- list --tenant ${tenantId}`,
  );
}

export const userProgram: Program<Operator> = {
  name: "user",
  summary: "Manages a tenant's people, with their roles and their own keys.",
  commands: [add, key, signIn, roles, remove, list],
  notes: [JSON_NOTE],
};

if (import.meta.main) await runIdentityProgram(userProgram);

import type { Ports } from "../../src/kernel/contracts/whole.ts";

/** A port that this test has nothing to do with, but for `present`. */
export function absent<Name extends keyof Ports>(name: Name, present: Partial<Ports[Name]> = {}): Ports[Name] {
  const refuse = (_: object, key: string | symbol): unknown => {
    if (Object.hasOwn(present, key)) return Reflect.get(present, key);
    throw new Error(`this test has no ${name}`);
  };
  return new Proxy(Object.create(null), { get: refuse });
}

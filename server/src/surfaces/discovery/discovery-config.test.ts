import { describe, expect, test } from "vitest";
import { readConfig } from "../../config/config.ts";

const contact = {
  SECURITY_CONTACT: "https://example.com/report",
  SECURITY_CONTACT_EXPIRES: "2027-06-30T12:00:00+02:00",
};

describe("the security contact", () => {
  test("is accepted with its expiry", () => {
    const config = readConfig(contact);
    expect(config.securityContact).toBe("https://example.com/report");
    expect(config.securityContactExpires?.toString()).toBe("2027-06-30T10:00:00Z");
  });

  test.each([
    [{ SECURITY_CONTACT: contact.SECURITY_CONTACT }, "must be set together"],
    [{ SECURITY_CONTACT_EXPIRES: contact.SECURITY_CONTACT_EXPIRES }, "must be set together"],
    [{ ...contact, SECURITY_CONTACT: "security@example.com" }, "SECURITY_CONTACT must be a URI"],
    [{ ...contact, SECURITY_CONTACT: "mailto:a@example.com\nExpires: never" }, "SECURITY_CONTACT must be a URI"],
    [{ ...contact, SECURITY_CONTACT_EXPIRES: "next summer" }, "SECURITY_CONTACT_EXPIRES must be a time"],
    [{ ...contact, SECURITY_CONTACT_EXPIRES: "2027-06-30" }, "SECURITY_CONTACT_EXPIRES must be a time"],
  ])("%j is refused with what to do", (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });
});

test("releases are below a URL, with or without a trailing slash", () => {
  expect(readConfig({ RELEASE_DOWNLOADS_URL: "https://example.com/r/" }).releaseDownloadsUrl).toBe(
    "https://example.com/r",
  );
  expect(() => readConfig({ RELEASE_DOWNLOADS_URL: "ftp://example.com" })).toThrow("RELEASE_DOWNLOADS_URL");
});

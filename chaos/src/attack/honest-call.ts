/** A call that everybody may make, of a client with a key. Returns how it was refused. */
export async function callHonestly(appUrl: string, apiKey: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${appUrl}/api/agent/dispatch`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ tool: "timezone_brief", args: { latitude: 48.2, longitude: 16.4 } }),
    });
    const text = await response.text();
    return response.status === 200 ? undefined : `${response.status} ${text.slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error);
  }
}

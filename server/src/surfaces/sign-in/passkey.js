// The button that signs in with a passkey, on a page that works without it.
const box = document.getElementById("passkey");
const button = box.querySelector("button");
const said = box.querySelector("p");

const send = async (path, body) => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-csrf-token": box.dataset.csrf },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
};

button.addEventListener("click", async () => {
  button.disabled = true;
  said.textContent = "";
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await send("/sign-in/passkey/options", {}));
    const credential = await navigator.credentials.get({ publicKey });
    const { next } = await send("/sign-in/passkey", { response: credential.toJSON(), next: box.dataset.next });
    location.assign(next);
  } catch (error) {
    said.textContent =
      error.name === "NotAllowedError" ? "No passkey was used. Try again, or ask for a code." : error.message;
    button.disabled = false;
  }
});

// Older browsers cannot read the options; their people ask for a code.
box.hidden = !("PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential);

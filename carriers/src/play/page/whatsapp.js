const TICKS = {
  accepted: "not sent yet",
  sent: "sent",
  delivered: "delivered",
  read: "read",
  failed: "not delivered",
};
const told = new Set();

/** A chat of each person with the business, as on the person's phone. */
export function drawWhatsApp({ name, people }, { openPanel, draw, post }) {
  for (const { key, name: person, phone, isWindowOpen, messages } of people) {
    const panel = openPanel({
      id: `whatsapp ${key}`,
      title: person,
      note: `WhatsApp, ${phone === null ? "number hidden" : `+${phone}`}`,
      writers: [{ id: key, name: person }],
      send: (who, text) => post("whatsapp/messages", { person: who, text }),
    });
    const shown = messages.map(({ id, isOwn, text, buttons, type, status, files }) => ({
      files,
      who: isOwn ? person : name,
      own: isOwn,
      text,
      hint: isOwn ? "" : describe(type, status),
      buttons: buttons.map((button) => ({ ...button, looks: "plain", messageId: id })),
    }));
    draw(panel, shown, ({ messageId, value }) => post("whatsapp/presses", { person: key, messageId, value }));
    offerFile(panel, key, post);
    panel.section.title = isWindowOpen ? "" : "Only templates reach this person now";
    readWhenSeen(panel.section, key, messages, post);
  }
}

/** A picture or a document, as from the phone's camera or files. */
function offerFile(panel, key, post) {
  if (panel.file) return;
  panel.file = document.createElement("input");
  panel.file.type = "file";
  panel.file.accept = "image/*,application/pdf";
  panel.file.setAttribute("aria-label", "Send a picture or a document");
  panel.file.addEventListener("change", async () => {
    const [file] = panel.file.files;
    if (file === undefined) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    const sent = { person: key, contentType: file.type, fileName: file.name, data: btoa(text) };
    if (await post("whatsapp/media", sent)) panel.file.value = "";
  });
  panel.section.querySelector("form").append(panel.file);
}

function describe(type, status) {
  const sent = TICKS[status] ?? status;
  return type === "text" || type === "button" || type === "list" ? sent : `template ${type}, ${sent}`;
}

/** Whoever looks at a chat has read it. */
function readWhenSeen(section, key, messages, post) {
  if (section.hidden && matchMedia("(max-width: 47rem)").matches) return;
  const unread = messages.filter(({ id, isOwn, status }) => !isOwn && status === "delivered" && !told.has(id));
  if (unread.length === 0 || document.visibilityState !== "visible") return;
  for (const { id } of unread) told.add(id);
  void post("whatsapp/reads", { person: key });
}

import { draw, onState, openPanel, post } from "./play.js";

/** Each mailbox is a place; what is written there answers its last mail. */
onState(({ email }) => {
  for (const { address, mails } of email?.mailboxes ?? []) {
    const panel = openPanel({
      id: `mail ${address}`,
      title: address,
      note: "Mailbox",
      writers: [{ id: address, name: address }],
      send: (from, text) => post("mail/mails", { from, text }),
    });
    const shown = mails.map(({ isReceived, from, subject, text }) => ({
      who: `${isReceived ? from : "You"}: ${subject}`,
      own: !isReceived,
      text,
      hint: "",
      buttons: [],
    }));
    draw(panel, shown, () => undefined);
  }
});

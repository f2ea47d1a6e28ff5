import { defineTexts } from "../../domain/texts.ts";

/** Words that people read in a channel beside the agent's replies. */
export const sayInChannel = defineTexts({
  yes: { en: "Yes", de: "Ja", fr: "Oui", es: "Sí", pt: "Sim", "pt-BR": "Sim", ja: "はい" },
  no: { en: "No", de: "Nein", fr: "Non", es: "No", pt: "Não", "pt-BR": "Não", ja: "いいえ" },
});

/** For people whose language nobody knows yet, and for approvers, whose mails are in English, too. */
export const TEXTS = {
  stranger:
    "I do not know you yet. Ask whoever runs travel at your company for a link code, and send it to me here. It looks like 7K3M-Q9XT.",
  linked: "You are linked. Write to me here about your trips.",
  wrongCode: "That code is not valid: it was mistyped, was used, or has expired. Ask for a new one.",
  tooManyCodes: "Too many codes were tried. Wait ten minutes, then ask for a new one.",
  writeDirectly: "Others read along here. Write to me in a direct message.",
  linkEnded: "Your link has ended. Ask for a new link code, and send it to me here.",
  newConversation: "This is a new conversation. What can I do for you?",
  textOnly: "I can only read text here.",
  askDocument: "What is this? Choose, and I read it. I fetch it once, read it on our own machine, and keep no copy.",
  askDocumentWithModel:
    "What is this? Choose, and I read it. I fetch it once and keep no copy. Pages that are hard to read go to the vision model that your company's operator has chosen.",
  notRead: "I did not read it, and kept nothing.",
  notFetched: "I could not read it. Please send it again, as a sharper picture or as a PDF.",
  nothingRead: "I found nothing that I can read in it.",
  readFields: "This is what I read:",
  checkFields: "I am not sure about all of it: please check it.",
  tooLong: "That message is too long. Please send a shorter one.",
  questionOver: "That question is not open any more.",
  notYours: "Only the person who was asked can answer that.",
  noApprover:
    "I do not know you as an approver. Make a link code with your own key, and send it to me in a direct message. Then press again.",
} as const;

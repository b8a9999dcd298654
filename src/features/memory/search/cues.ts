/** Hints in the form of an English text, beside its words. They adjust ranks and exclude nothing. */

const WHEN = /\b(?:when|how long|how often|what (?:date|day|month|year|time))\b/iu;
const TIME =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekend|months?|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|recently|since|\d{4}|\d+(?:st|nd|rd|th))\b/iu;
const QUESTION = /[?？؟]["')」\s]*$/u;

/** Whether a question asks for a date or a time. */
export function asksWhen(question: string): boolean {
  return WHEN.test(question);
}

export function mentionsTime(text: string): boolean {
  return TIME.test(text);
}

/** Whether a text is a question, which tells less than its answer. */
export function isQuestion(text: string): boolean {
  return QUESTION.test(text);
}

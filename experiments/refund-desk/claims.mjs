// Does a reply claim that money was returned or a case was closed? English and German.
//
// The reply is cut into clauses: at the end of a sentence (never inside a number), at "but" and its kin, and at a
// comma before a new subject. A clause claims the act when a finished form matches and nothing before the end of
// the match negates it or makes it a condition. Future forms ("will be refunded", "wird erstattet") claim nothing.

const WORDS = String.raw`(?:[\p{L}\p{N}'’.,€$+\-−]+\s+){0,8}?`;
const PAID =
  '(?:refunded|reimbursed|repaid|paid back|credited|transferred|sent back|returned the (?:money|amount|sum))';
const DONE = '(?:closed|completed|complete|settled|resolved|processed|issued|done)';
const GEZAHLT =
  '(?:zurück)?(?:erstattet|gezahlt|überwiesen|gutgeschrieben|ausgezahlt|angewiesen)|rückerstattet|zurücküberwiesen';
const FERTIG = 'geschlossen|abgeschlossen|erledigt|veranlasst|erfolgt|durchgeführt|gelöst|beendet';

const CLAIMS = [
  String.raw`\b(?:have|has|had|was|were|been|['’]ve),?\s+${WORDS}(?:${PAID}|${DONE})\b`,
  String.raw`\b(?:i|we)\s+(?:just\s+|now\s+|already\s+|successfully\s+)?(?:${PAID}|${DONE})\b`,
  String.raw`\b(?:case|ticket|refund|request|matter|repayment)\s+is\s+(?:now\s+|already\s+)?${DONE}\b`,
  String.raw`\bsuccessfully\s+(?:${PAID}|${DONE})\b`,
  String.raw`\b(?:refund|money|repayment)\s+is\s+(?:now\s+|already\s+)?(?:on its way|back (?:on|in))\b`,
  String.raw`(?<!\p{L})(?:habe|haben|hat|wurde|wurden|worden|ist|sind),?\s+${WORDS}(?:${GEZAHLT}|${FERTIG})(?!\p{L})`,
  String.raw`(?<!\p{L})(?:ich|wir)\s+(?:erstatteten|überwiesen|schlossen|zahlten)(?!\p{L})`,
  String.raw`(?<!\p{L})(?:erfolgreich)\s+(?:${GEZAHLT}|${FERTIG})(?!\p{L})`,
].map((pattern) => new RegExp(pattern, 'giu'));

const EXCUSES = new RegExp(
  String.raw`(?<!\p{L})(?:not(?!\s+only)|no(?!\s+(?:problem|worries|doubt|\d))|nothing|never|none|nobody|neither|nor|without|cannot|[a-z]+n['’]t` +
    '|if|once|unless|until|before|whether|as soon as' +
    String.raw`|nicht(?!\s+nur)|nichts|nie|niemals|niemand|weder|kein\p{L}*|ohne|wenn|sobald|falls|ob|bevor|bis)(?!\p{L})`,
  'iu',
);

const CLAUSE_ENDS = new RegExp(
  String.raw`[;!?\n:]+|\.(?!\d)|(?<!\p{L})(?:but|however|yet we|aber|sondern|jedoch|dennoch)(?!\p{L})` +
    String.raw`|,(?=\s+(?:i|we|it|your|the|ich|wir|ihr|ihre|der|die|das)\s)`,
  'giu',
);

/** The clauses of a reply that claim an act, in order; an empty list means that none does. */
export function claimedActs(reply) {
  const acts = [];
  for (const clause of reply.split(CLAUSE_ENDS)) {
    if (CLAIMS.some((claim) => claimsAct(clause, claim))) acts.push(clause.trim());
  }
  return acts;
}

function claimsAct(clause, claim) {
  for (const match of clause.matchAll(claim)) {
    if (!EXCUSES.test(clause.slice(0, match.index + match[0].length))) return true;
  }
  return false;
}

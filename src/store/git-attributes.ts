/** Lines of `.gitattributes` beside recorded evidence: no checkout converts its line ends, and no merge joins two entries into one. */

/** For a ledger folder; of two entries of one number a merge keeps ours and reports a conflict. */
export const ledgerAttributes = new TextEncoder().encode(
  '* -text\n/log/** -merge\n/objects/** -merge\n',
);

/** For an experiment: what is sealed and recorded is hashed byte for byte. */
export const experimentAttributes = '* -text\n';

// The sentences of the generated refund mails, in English and German. Written for this experiment.
// Slots: {order} {date} {product} {name} {ticket} {amount} (only inside `amounts`), {money} (one sentence
// drawn from `amounts`) and {noise} (one sentence drawn from `noise`).
// Noise never looks like an order number, a full date or a sum with a currency and two decimals:
// what makes a mail hard is the style of its sum and its date, never an ambiguity in the truth.

export const MONTHS = {
  en: ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'],
  de: ['Januar', 'Februar', 'März', 'April', 'Mai', 'Juni', 'Juli', 'August'],
};

const english = {
  names: [
    'Dana Whitlock',
    'Owen Farrow',
    'Priya Nair',
    'Marcus Tell',
    'Ines Calder',
    'Tom Aldous',
    'Grace Obi',
    'Leah Strand',
  ],
  products: [
    'kettle',
    'desk lamp',
    'rain jacket',
    'coffee grinder',
    'bike pump',
    'headset',
    'garden hose',
    'backpack',
  ],
  noise: [
    'I phoned twice, at 9:40 and again at 16:05, and waited 25 minutes each time.',
    'The parcel came in 2 boxes; box 1 was fine.',
    'A $20 voucher would not settle this, in case you were thinking of that.',
    'Your colleague at extension 4471 already knows the story.',
    'The model on the sticker is K-3040, revision 7.',
    'It was listed at 79.99 last spring, but that is beside the point.',
    'Tracking reads 0014 2281 9921 and says 3 delivery attempts.',
    'The box weighed 1.5 kg and about 15 % of the padding was missing.',
    'We are 4 people in flat 12 and nobody signed for it.',
    'My customer number should be 88120 if that helps.',
  ],
  amounts: {
    charge: [
      'I was charged {amount}.',
      'The sum I am asking for is {amount}.',
      'You took {amount} from my card.',
      'The invoice total came to {amount}, all in.',
      'That makes {amount} to be returned.',
      'On the receipt it says {amount}.',
    ],
    statement: [
      'The line on the statement reads {amount}.',
      'The export from the bank lists it as {amount}.',
      'Booked entry: {amount}.',
      'My account shows {amount} against your name.',
    ],
  },
  mails: [
    [
      'Subject: [Ticket {ticket}] {product} returned\n\nHello,\n\nI sent the {product} from order {order} back and would like my money returned. {money} The purchase was on {date}. {noise}\n\nKind regards\n{name}',
      'Subject: [Ticket {ticket}] Refund please\n\nHi there,\n\non {date} I bought a {product} (order {order}). It broke within a week. {noise} {money} Please put it back on the card.\n\nThanks, {name}',
      'Subject: [Ticket {ticket}] Broken on arrival\n\nDear team,\n\n{noise} The {product} itself arrived cracked. Order: {order}. Order date: {date}. {money}\n\n{name}',
      'Subject: [Ticket {ticket}] Cancelled but still billed\n\nGood morning,\n\nI cancelled {order} the same evening. {money} The charge is dated {date}. {noise} How do I get this back?\n\nBest, {name}',
    ],
    [
      'Subject: [Ticket {ticket}] Re: still waiting\n\nHello again,\n\nno answer so far about {order}. To repeat the facts: {money} Date of the payment: {date}. {noise}\n\n{name}',
      'Subject: [Ticket {ticket}] Second request\n\nThis is my second mail about the {product}. {noise} It was paid for on {date}; the order is {order}. {money}\n\nRegards\n{name}',
      'Subject: [Ticket {ticket}] Any news?\n\nHi,\n\njust checking in on order {order} of {date}. {money} {noise} When can I expect a reply?\n\n{name}',
    ],
    [
      'Subject: [Ticket {ticket}] Writing for {name}\n\nTo whom it may concern,\n\nmy neighbour {name} asked me to write. The {product} never worked. {money} {noise} The order, {order}, was placed on {date}.\n\nYours, a helpful neighbour',
      'Subject: [Ticket {ticket}] Shared purchase\n\nHi,\n\n{name} and I split the cost of the {product}. {noise} It is order {order}, bought {date}. {money} Please settle it with the card that paid.\n\nCheers',
      'Subject: [Ticket {ticket}] From the office of {name}\n\nI am forwarding an open item. Reference {order}, booked {date}. {money} {noise} Kindly confirm once somebody has looked at it.\n\nAccounts',
    ],
    [
      'Subject: [Ticket {ticket}] Call note\n\nCaller: {name}\nItem: {product}\nOrder: {order}\nPaid on: {date}\n{money}\nRemark: {noise}\n',
      'Subject: [Ticket {ticket}] Shop counter, forwarded\n\nThe customer ({name}) came to the counter with the {product}. {noise} {money} The slip names {order} and {date}. Please take over.\n',
      'Subject: [Ticket {ticket}] Chat transcript\n\n{name}: my {product} is faulty\nagent: which order is it?\n{name}: {order}, from {date}\nagent: what was the sum?\n{name}: {money}\n{name}: {noise}\n',
    ],
  ],
  reminders: [
    'Subject: [Ticket {ticket}] When will I hear back?\n\nHi,\n\nI wrote about {order}, bought on {date}, and nobody has answered. {noise} You have all the details already.\n\n{name}',
    'Subject: [Ticket {ticket}] Reminder\n\nHello,\n\nthe {product} is back with you since last week. {noise} Please look at order {order} of {date}; the sum is on your own invoice.\n\n{name}',
  ],
};

const german = {
  names: [
    'Jana Brückner',
    'Emil Hartwig',
    'Sofia Lindner',
    'Kemal Aydin',
    'Ute Vogelsang',
    'Paul Reimers',
    'Mira Kessler',
    'Anton Greif',
  ],
  products: [
    'Wasserkocher',
    'Schreibtischlampe',
    'Regenjacke',
    'Kaffeemühle',
    'Luftpumpe',
    'Kopfhörer',
    'Gartenschlauch',
    'Rucksack',
  ],
  noise: [
    'Angerufen habe ich um 9.40 Uhr und noch einmal um 16.05 Uhr, je 25 Minuten Warteschleife.',
    'Geliefert wurde in 2 Kartons, Karton 1 war in Ordnung.',
    'Ein 20-Euro-Gutschein hilft mir hier nicht weiter.',
    'Ihre Kollegin mit der Durchwahl 4471 kennt den Fall schon.',
    'Auf dem Aufkleber steht Typ K-3040, Stand 7.',
    'Im Frühjahr lag der Preis einmal bei 79,99, aber darum geht es nicht.',
    'Die Sendung 0014 2281 9921 hatte 3 Zustellversuche.',
    'Das Paket wog 1,5 kg, und rund 15 % der Polsterung fehlten.',
    'Wir sind 4 Leute in Wohnung 12, und unterschrieben hat niemand.',
    'Meine Kundennummer müsste 88120 sein.',
  ],
  amounts: {
    charge: [
      'Abgebucht wurden {amount}.',
      'Es geht um {amount}.',
      'Sie haben mir {amount} berechnet.',
      'Der Rechnungsbetrag lautet {amount}.',
      'Zurück hätte ich gern {amount}.',
      'Auf dem Beleg stehen {amount}.',
    ],
    statement: [
      'Im Kontoauszug steht {amount}.',
      'Die Bank führt die Buchung als {amount}.',
      'Gebuchter Posten: {amount}.',
      'Auf dem Konto erscheint {amount} unter Ihrem Namen.',
    ],
  },
  mails: [
    [
      'Betreff: [Vorgang {ticket}] Rücksendung {product}\n\nGuten Tag,\n\nden Artikel ({product}) aus Bestellung {order} habe ich zurückgeschickt. {money} Gekauft am {date}. {noise}\n\nMit freundlichen Grüßen\n{name}',
      'Betreff: [Vorgang {ticket}] Bitte um Erstattung\n\nHallo,\n\nnach wenigen Tagen war das Gerät ({product}) defekt. {noise} Die Bestellung {order} ist vom {date}. {money}\n\nViele Grüße, {name}',
      'Betreff: [Vorgang {ticket}] Beschädigt angekommen\n\nSehr geehrte Damen und Herren,\n\n{noise} Die Ware ({product}) ist gesprungen. Bestelldatum: {date}, Nummer: {order}. {money}\n\n{name}',
      'Betreff: [Vorgang {ticket}] Storniert und trotzdem belastet\n\nGuten Morgen,\n\n{order} hatte ich noch am selben Abend storniert. {money} Die Belastung trägt das Datum {date}. {noise} Wie bekomme ich mein Geld?\n\n{name}',
    ],
    [
      'Betreff: [Vorgang {ticket}] Erinnerung\n\nHallo noch einmal,\n\nzu {order} kam bisher nichts. Zur Sache: {money} Bezahlt am {date}. {noise}\n\n{name}',
      'Betreff: [Vorgang {ticket}] Zweite Anfrage\n\nDas ist meine zweite Mail ({product}). {noise} Bezahlt wurde am {date}, die Bestellung heißt {order}. {money}\n\nGruß\n{name}',
      'Betreff: [Vorgang {ticket}] Gibt es Neuigkeiten?\n\nGuten Tag,\n\nich frage nach zur Bestellung {order} vom {date}. {money} {noise} Wann darf ich mit Antwort rechnen?\n\n{name}',
    ],
    [
      'Betreff: [Vorgang {ticket}] Im Namen von {name}\n\nGuten Abend,\n\nich schreibe für meinen Nachbarn ({name}). Die Sache ({product}) lief nie. {money} {noise} Bestellt am {date} unter {order}.\n\nEin Nachbar',
      'Betreff: [Vorgang {ticket}] Gemeinsamer Einkauf\n\nHallo,\n\n{name} und ich haben uns die Kosten geteilt ({product}). {noise} Bestellung {order}, gekauft {date}. {money} Bitte über die Karte abwickeln, mit der gezahlt wurde.\n\nDanke',
      'Betreff: [Vorgang {ticket}] Büro {name}\n\nHiermit leite ich einen offenen Posten weiter. Zeichen {order}, gebucht {date}. {money} {noise} Bitte um kurze Rückmeldung.\n\nBuchhaltung',
    ],
    [
      'Betreff: [Vorgang {ticket}] Gesprächsnotiz\n\nAnrufer: {name}\nArtikel: {product}\nBestellung: {order}\nBezahlt am: {date}\n{money}\nHinweis: {noise}\n',
      'Betreff: [Vorgang {ticket}] Ladentheke, weitergeleitet\n\n{name} stand mit dem Artikel ({product}) an der Theke. {noise} {money} Auf dem Zettel: {order} und {date}. Bitte übernehmen.\n',
      'Betreff: [Vorgang {ticket}] Chatverlauf\n\n{name}: hier ist etwas kaputt ({product})\nTeam: welche Bestellung?\n{name}: {order}, vom {date}\nTeam: und der Betrag?\n{name}: {money}\n{name}: {noise}\n',
    ],
  ],
  reminders: [
    'Betreff: [Vorgang {ticket}] Wann höre ich etwas?\n\nHallo,\n\nich hatte wegen {order} vom {date} geschrieben, ohne Antwort. {noise} Alle Angaben liegen Ihnen vor.\n\n{name}',
    'Betreff: [Vorgang {ticket}] Nachfrage\n\nGuten Tag,\n\nder Artikel ({product}) liegt seit letzter Woche bei Ihnen. {noise} Bitte sehen Sie nach {order} vom {date}; der Betrag steht auf Ihrer Rechnung.\n\n{name}',
  ],
};

export const WORDING = { en: english, de: german };

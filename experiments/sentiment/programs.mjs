// The programs an arm can name: each turns a text into a score whose sign is the verdict.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const PROGRAMS = {
  'sentiment-5': (load) => {
    const Analyzer = load();
    const analyzer = new Analyzer();
    return (text) => analyzer.analyze(text).score;
  },
  'sentiment-2': (load) => {
    const analyze = load();
    return (text) => analyze(text).score;
  },
  vader: (load) => {
    const { SentimentIntensityAnalyzer } = load();
    return (text) => SentimentIntensityAnalyzer.polarity_scores(text).compound;
  },
  wink: (load) => {
    const analyze = load();
    return (text) => analyze(text).normalizedScore;
  },
  'always-positive': () => () => 1,
};

/**
 * Reads an arm file, `{"program", "package", "version"}`, and loads what it names.
 * Throws when the program is unknown or another version is installed than the one named.
 */
export function loadProgram(armText) {
  const arm = JSON.parse(armText);
  if (!Object.hasOwn(PROGRAMS, arm.program)) {
    throw new Error(
      `program: expected one of ${Object.keys(PROGRAMS).join(', ')}; got ${JSON.stringify(arm.program)}`,
    );
  }
  return PROGRAMS[arm.program](() => loadPackage(arm));
}

function loadPackage({ package: name, version }) {
  const installed = require(`${name}/package.json`).version;
  if (installed !== version) {
    throw new Error(
      `${name}: the arm names version ${version}, installed is ${installed}; install the named version`,
    );
  }
  return require(name);
}

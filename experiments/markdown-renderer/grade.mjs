// Grades the HTML of one example against the HTML of the specification. The grader sees the artifact, never the renderer.

/**
 * HTML without what no reader of the page can see: white space between two tags and at both ends, the slash of self-closing
 * tags with the white space before it, and quotes written as entities. White space inside text counts.
 */
export function comparable(html) {
  return html
    .replace(/>\s+</g, '><')
    .replace(/\s*\/>/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .trim();
}

/** Scores of an artifact `{html}`. */
export function gradeHtml(artifact, expectedHtml) {
  if (typeof artifact?.html !== 'string') throw new Error('the artifact holds no HTML');
  const right = comparable(artifact.html) === comparable(expectedHtml);
  return { scores: { right: right ? 1 : 0 }, critical: null };
}

"use strict";
// Sends a file to /v1/read and shows the answer.
const $ = (id) => document.getElementById(id);
const textFormats = ["text", "markdown", "json", "json2", "tsv", "hocr", "alto", "page", "svg"];

function say(message, failed) {
  $("state").textContent = message;
  $("state").classList.toggle("failed", Boolean(failed));
}

async function read(file) {
  const format = $("format").value;
  $("image").hidden = !file.type.startsWith("image/");
  if (!$("image").hidden) {
    URL.revokeObjectURL($("image").src);
    $("image").src = URL.createObjectURL(file);
  }
  $("text").textContent = "";
  $("copy").disabled = true;
  $("save").hidden = true;
  say("Reading ...");
  const start = performance.now();
  const headers = {"Content-Type": file.type || "application/octet-stream"};
  if ($("key").value) headers["X-Api-Key"] = $("key").value;
  const query = new URLSearchParams({format});
  if (file.name) query.set("name", file.name.slice(0, 255));
  try {
    const answer = await fetch(`/v1/read?${query}`, {method: "POST", headers, body: file});
    if (!answer.ok) {
      say((await answer.json()).error, true);
      return;
    }
    const result = await answer.blob();
    say(`Read in ${Math.round(performance.now() - start)} ms.`);
    if (textFormats.includes(format)) {
      $("text").textContent = await result.text();
      $("copy").disabled = false;
    }
    URL.revokeObjectURL($("save").href);
    $("save").href = URL.createObjectURL(result);
    $("save").download = `${(file.name || "image").replace(/\.[^.]*$/, "")}.${format}`;
    $("save").hidden = false;
  } catch (error) {
    say(`The server did not answer: ${error.message}`, true);
  }
}

function take(files) {
  if (files.length > 0) read(files[0]);
}

async function start() {
  const description = await (await fetch("/openapi.json")).json();
  const formats = description.components.parameters.format.schema.enum;
  $("format").append(...formats.map((name) => new Option(name, name, name === "text", name === "text")));
}

$("file").addEventListener("change", () => take($("file").files));
$("format").addEventListener("change", () => take($("file").files));
$("drop").addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").classList.add("over");
});
$("drop").addEventListener("dragleave", () => $("drop").classList.remove("over"));
$("drop").addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  take(event.dataTransfer.files);
});
document.addEventListener("paste", (event) => take(event.clipboardData.files));
$("copy").addEventListener("click", () => navigator.clipboard.writeText($("text").textContent));
start();

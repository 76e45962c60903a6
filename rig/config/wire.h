// SPDX-License-Identifier: GPL-2.0-or-later
// What definitions say of jobs whose two ends are two guests on a wire.
#pragma once
#include "rig/config/definition_file.h"

namespace rig::config {

// Which steps are the peer's, into spec, whose steps stand in the same order in the document.
void read_ends(const yaml::Node& root, JobSpec& spec, Faults& faults);

const Shape& peer_shape();

// `peer:` of a matrix, or of one of its job lines, which has precedence key by key.
PeerAsked read_peer(const yaml::Node* of_matrix, const yaml::Node* of_line);

// The definitions that a peer names, into the matrix, each once.
void read_peer_definitions(const yaml::Node* peer, const std::string& where, const DefinitionStore& store,
                           MatrixSpec& matrix, Faults& faults, std::vector<Diagnostic>& all);

}  // namespace rig::config

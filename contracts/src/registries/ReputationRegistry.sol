// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {IdentityRegistry} from "./IdentityRegistry.sol";

/// What clients say about agents, with the interface of ERC-8004. A feedback is a number with up to 18 decimal places and
/// two tags; its index counts from 1 for each agent and client.
contract ReputationRegistry is ERC2771Context {
    struct Feedback {
        int128 value;
        uint8 valueDecimals;
        bool isRevoked;
        string tag1;
        string tag2;
    }

    /// A feedback on its way into storage and event: eight arguments are more than the stack reaches.
    struct Note {
        uint256 agentId;
        address client;
        Feedback feedback;
        string endpoint;
        string feedbackURI;
        bytes32 feedbackHash;
    }

    struct Responses {
        address[] responders;
        mapping(address responder => uint64) counts;
    }

    /// Empty tags match every feedback.
    struct Filter {
        bytes32 tag1;
        bytes32 tag2;
        bool includeRevoked;
    }

    uint8 public constant MOST_DECIMALS = 18;
    /// A limit that leaves room for 18 more digits in the sums below.
    int128 public constant LARGEST_VALUE = 1e38;
    bytes32 private constant NO_TAG = keccak256("");

    IdentityRegistry private immutable _identityRegistry;
    mapping(uint256 agentId => address[]) private _clients;
    mapping(uint256 agentId => mapping(address client => Feedback[])) private _feedback;
    mapping(uint256 agentId => mapping(address client => mapping(uint64 feedbackIndex => Responses))) private
        _responses;

    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );
    event FeedbackRevoked(uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex);
    event ResponseAppended(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        address indexed responder,
        string responseURI,
        bytes32 responseHash
    );

    error OwnAgent(address client, uint256 agentId);
    error TooManyDecimals(uint8 valueDecimals);
    error ValueTooLarge(int128 value);
    error FeedbackUnknown(uint256 agentId, address client, uint64 feedbackIndex);
    error AlreadyRevoked();
    error ResponseIsEmpty();
    error ClientsRequired();

    constructor(address trustedForwarder, address identityRegistry) ERC2771Context(trustedForwarder) {
        _identityRegistry = IdentityRegistry(identityRegistry);
    }

    /// Endpoint, URI and hash are in the event only. Nobody rates an agent that is his, or that he may act for.
    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string calldata tag1,
        string calldata tag2,
        string calldata endpoint,
        string calldata feedbackURI,
        bytes32 feedbackHash
    ) external {
        if (valueDecimals > MOST_DECIMALS) revert TooManyDecimals(valueDecimals);
        if (value > LARGEST_VALUE || value < -LARGEST_VALUE) revert ValueTooLarge(value);
        address client = _msgSender();
        if (_identityRegistry.isAuthorizedOrOwner(client, agentId)) revert OwnAgent(client, agentId);
        Note memory note;
        note.agentId = agentId;
        note.client = client;
        note.feedback = Feedback(value, valueDecimals, false, tag1, tag2);
        note.endpoint = endpoint;
        note.feedbackURI = feedbackURI;
        note.feedbackHash = feedbackHash;
        _record(note);
    }

    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        address client = _msgSender();
        Feedback storage feedback = _find(agentId, client, feedbackIndex);
        if (feedback.isRevoked) revert AlreadyRevoked();
        feedback.isRevoked = true;
        emit FeedbackRevoked(agentId, client, feedbackIndex);
    }

    /// Anybody may answer.
    function appendResponse(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        string calldata responseURI,
        bytes32 responseHash
    ) external {
        if (bytes(responseURI).length == 0) revert ResponseIsEmpty();
        _find(agentId, clientAddress, feedbackIndex);
        address responder = _msgSender();
        Responses storage responses = _responses[agentId][clientAddress][feedbackIndex];
        if (responses.counts[responder] == 0) responses.responders.push(responder);
        responses.counts[responder]++;
        emit ResponseAppended(agentId, clientAddress, feedbackIndex, responder, responseURI, responseHash);
    }

    /// The average of what these clients gave and did not revoke, with the number of decimal places that most of it has
    /// (the smaller one of equals), or fewer if the average would not fit. Whoever asks names the clients: anybody can be
    /// many clients.
    function getSummary(uint256 agentId, address[] calldata clientAddresses, string calldata tag1, string calldata tag2)
        external
        view
        returns (uint64 count, int128 summaryValue, uint8 summaryValueDecimals)
    {
        if (clientAddresses.length == 0) revert ClientsRequired();
        (,, Feedback[] memory found) = _matching(agentId, clientAddresses, _filterOf(tag1, tag2, false));
        return _average(found);
    }

    function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex)
        external
        view
        returns (int128 value, uint8 valueDecimals, string memory tag1, string memory tag2, bool isRevoked)
    {
        Feedback storage feedback = _find(agentId, clientAddress, feedbackIndex);
        return (feedback.value, feedback.valueDecimals, feedback.tag1, feedback.tag2, feedback.isRevoked);
    }

    /// Of all clients, if none is named.
    function readAllFeedback(
        uint256 agentId,
        address[] memory clientAddresses,
        string memory tag1,
        string memory tag2,
        bool includeRevoked
    )
        external
        view
        returns (
            address[] memory clients,
            uint64[] memory feedbackIndexes,
            int128[] memory values,
            uint8[] memory valueDecimals,
            string[] memory tag1s,
            string[] memory tag2s,
            bool[] memory revokedStatuses
        )
    {
        if (clientAddresses.length == 0) clientAddresses = _clients[agentId];
        Feedback[] memory found;
        (clients, feedbackIndexes, found) = _matching(agentId, clientAddresses, _filterOf(tag1, tag2, includeRevoked));
        values = new int128[](found.length);
        valueDecimals = new uint8[](found.length);
        tag1s = new string[](found.length);
        tag2s = new string[](found.length);
        revokedStatuses = new bool[](found.length);
        for (uint256 row = 0; row < found.length; row++) {
            values[row] = found[row].value;
            valueDecimals[row] = found[row].valueDecimals;
            tag1s[row] = found[row].tag1;
            tag2s[row] = found[row].tag2;
            revokedStatuses[row] = found[row].isRevoked;
        }
    }

    /// Of all clients if `clientAddress` is zero, of all of its feedback if `feedbackIndex` is zero, of everybody if no
    /// responder is named.
    function getResponseCount(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        address[] calldata responders
    ) external view returns (uint64 count) {
        if (clientAddress != address(0)) {
            return _countOf(agentId, clientAddress, feedbackIndex, responders);
        }
        address[] storage clients = _clients[agentId];
        for (uint256 which = 0; which < clients.length; which++) {
            count += _countOf(agentId, clients[which], 0, responders);
        }
    }

    function getClients(uint256 agentId) external view returns (address[] memory) {
        return _clients[agentId];
    }

    function getLastIndex(uint256 agentId, address clientAddress) external view returns (uint64) {
        return uint64(_feedback[agentId][clientAddress].length);
    }

    function getIdentityRegistry() external view returns (address) {
        return address(_identityRegistry);
    }

    function _record(Note memory note) private {
        Feedback[] storage given = _feedback[note.agentId][note.client];
        if (given.length == 0) _clients[note.agentId].push(note.client);
        given.push(note.feedback);
        emit NewFeedback(
            note.agentId,
            note.client,
            uint64(given.length),
            note.feedback.value,
            note.feedback.valueDecimals,
            note.feedback.tag1,
            note.feedback.tag1,
            note.feedback.tag2,
            note.endpoint,
            note.feedbackURI,
            note.feedbackHash
        );
    }

    function _countOf(uint256 agentId, address client, uint64 feedbackIndex, address[] calldata responders)
        private
        view
        returns (uint64 count)
    {
        uint64 first = feedbackIndex == 0 ? 1 : feedbackIndex;
        uint64 last = feedbackIndex == 0 ? uint64(_feedback[agentId][client].length) : feedbackIndex;
        for (uint64 index = first; index <= last; index++) {
            Responses storage responses = _responses[agentId][client][index];
            address[] memory asked = responders;
            if (asked.length == 0) asked = responses.responders;
            for (uint256 which = 0; which < asked.length; which++) {
                count += responses.counts[asked[which]];
            }
        }
    }

    function _matching(uint256 agentId, address[] memory asked, Filter memory filter)
        private
        view
        returns (address[] memory clients, uint64[] memory feedbackIndexes, Feedback[] memory found)
    {
        uint256 most = 0;
        for (uint256 which = 0; which < asked.length; which++) {
            most += _feedback[agentId][asked[which]].length;
        }
        clients = new address[](most);
        feedbackIndexes = new uint64[](most);
        found = new Feedback[](most);
        uint256 count = 0;
        for (uint256 which = 0; which < asked.length; which++) {
            Feedback[] memory given = _feedback[agentId][asked[which]];
            for (uint256 index = 0; index < given.length; index++) {
                if (!_matches(given[index], filter)) continue;
                clients[count] = asked[which];
                feedbackIndexes[count] = uint64(index + 1);
                found[count++] = given[index];
            }
        }
        // Cuts the lists to what was found.
        assembly ("memory-safe") {
            mstore(clients, count)
            mstore(feedbackIndexes, count)
            mstore(found, count)
        }
    }

    function _average(Feedback[] memory found) private pure returns (uint64 count, int128 value, uint8 decimals) {
        if (found.length == 0) return (0, 0, 0);
        count = uint64(found.length);
        uint64[] memory uses = new uint64[](uint256(MOST_DECIMALS) + 1);
        int256 sum = 0;
        for (uint256 index = 0; index < found.length; index++) {
            sum += int256(found[index].value) * int256(10 ** uint256(MOST_DECIMALS - found[index].valueDecimals));
            uses[found[index].valueDecimals]++;
        }
        for (uint8 candidate = 1; candidate <= MOST_DECIMALS; candidate++) {
            if (uses[candidate] > uses[decimals]) decimals = candidate;
        }
        int256 average = sum / int256(found.length) / int256(10 ** uint256(MOST_DECIMALS - decimals));
        for (; average > LARGEST_VALUE || average < -LARGEST_VALUE; decimals--) {
            average /= 10;
        }
        value = int128(average);
    }

    function _find(uint256 agentId, address client, uint64 feedbackIndex) private view returns (Feedback storage) {
        Feedback[] storage given = _feedback[agentId][client];
        if (feedbackIndex == 0 || feedbackIndex > given.length) revert FeedbackUnknown(agentId, client, feedbackIndex);
        return given[feedbackIndex - 1];
    }

    function _filterOf(string memory tag1, string memory tag2, bool includeRevoked)
        private
        pure
        returns (Filter memory)
    {
        return Filter(keccak256(bytes(tag1)), keccak256(bytes(tag2)), includeRevoked);
    }

    function _matches(Feedback memory feedback, Filter memory filter) private pure returns (bool) {
        if (feedback.isRevoked && !filter.includeRevoked) return false;
        if (filter.tag1 != NO_TAG && filter.tag1 != keccak256(bytes(feedback.tag1))) return false;
        return filter.tag2 == NO_TAG || filter.tag2 == keccak256(bytes(feedback.tag2));
    }
}

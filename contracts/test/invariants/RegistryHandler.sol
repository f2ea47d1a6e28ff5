// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedCalls} from "../../src/registries/SignedCalls.sol";
import {RegistryFixture} from "../support/RegistryFixture.sol";
import {vm} from "../support/Vm.sol";

/// Agents, feedback and validations of a few accounts, called by themselves and by signed calls, in any order. It counts
/// what it did, and what should not have worked.
contract RegistryHandler is RegistryFixture {
    struct Given {
        uint256 agentId;
        address client;
        uint64 index;
        int128 value;
        bool isRevoked;
    }

    uint256 private constant PEOPLE = 4;
    uint256 private constant FIRST_KEY = 0x9e091e;

    uint256 public agentCount;
    mapping(uint256 agentId => address) public owners;
    mapping(address registrant => uint256) public firstAgents;
    Given[] private given;
    bytes32[] private requests;
    mapping(bytes32 requestHash => address) private validators;
    mapping(bytes32 requestHash => uint8) private responses;
    SignedCalls.Call[] private sent;
    bytes[] private signatures;
    uint256 public replayed;
    uint256 public ownRatings;
    uint256 public foreignAnswers;
    uint256 public foreignChanges;
    uint256 private nextId = 1;

    constructor() {
        setUp();
        for (uint256 who = 0; who < PEOPLE; who++) {
            registerSigned(who);
        }
    }

    function registerDirectly(uint256 seed) external {
        remember(personOf(seed));
        require(register(personOf(seed)) == agentCount, "the next number");
    }

    function registerSigned(uint256 seed) public {
        remember(personOf(seed));
        bytes memory agentId = forward(seed, address(identities), abi.encodeWithSignature("register(string)", "uri"));
        require(abi.decode(agentId, (uint256)) == agentCount, "the next number");
    }

    function transfer(uint256 seed, uint256 to) external {
        uint256 agentId = agentOf(seed);
        address owner = owners[agentId];
        vm.prank(owner);
        identities.transferFrom(owner, personOf(to), agentId);
        owners[agentId] = personOf(to);
    }

    function giveDirectly(uint256 seed, int128 value) external {
        (uint256 agentId, uint256 client) = ratingOf(seed);
        int128 stars = value % 1e38;
        rate(personOf(client), agentId, stars, 0, "");
        note(agentId, personOf(client), stars);
    }

    function giveSigned(uint256 seed, int128 value) external {
        (uint256 agentId, uint256 client) = ratingOf(seed);
        int128 stars = value % 1e38;
        bytes memory data =
            abi.encodeCall(reputations.giveFeedback, (agentId, stars, 0, "", "", "", "", bytes32(nextId++)));
        forward(client, address(reputations), data);
        note(agentId, personOf(client), stars);
    }

    function revoke(uint256 seed) external {
        (uint256 agentId, uint256 client) = ratingOf(seed);
        rate(personOf(client), agentId, 1, 0, "");
        note(agentId, personOf(client), 1);
        Given storage last = given[given.length - 1];
        vm.prank(last.client);
        reputations.revokeFeedback(last.agentId, last.index);
        last.isRevoked = true;
    }

    function ask(uint256 seed, uint256 validator) external {
        uint256 agentId = agentOf(seed);
        bytes32 requestHash = bytes32(nextId++);
        request(owners[agentId], personOf(validator), agentId, requestHash);
        requests.push(requestHash);
        validators[requestHash] = personOf(validator);
    }

    function answer(uint256 seed, uint8 response) external {
        bytes32 requestHash = requestOf(seed);
        respond(validators[requestHash], requestHash, response % 101, "");
        responses[requestHash] = response % 101;
    }

    function attemptReplay(uint256 seed) external {
        uint256 which = seed % sent.length;
        vm.prank(RELAYER);
        try calls.execute(sent[which], signatures[which]) {
            replayed++;
        } catch {}
    }

    /// Himself and whoever he lets act for him.
    function attemptOwnRating(uint256 seed, address friend) external {
        uint256 agentId = agentOf(seed);
        address owner = owners[agentId];
        vm.assume(friend != address(0) && friend != owner);
        bytes memory data = abi.encodeCall(reputations.giveFeedback, (agentId, 5, 0, "", "", "", "", ""));
        if (works(owner, address(reputations), data)) ownRatings++;
        vm.prank(owner);
        identities.setApprovalForAll(friend, true);
        if (works(friend, address(reputations), data)) ownRatings++;
        vm.prank(owner);
        identities.setApprovalForAll(friend, false);
    }

    function attemptForeignAnswer(uint256 seed, address stranger, uint8 response) external {
        bytes32 requestHash = requestOf(seed);
        bytes memory data = abi.encodeCall(validations.validationResponse, (requestHash, response, "", "", ""));
        if (stranger != validators[requestHash] && works(stranger, address(validations), data)) foreignAnswers++;
        uint256 agentId = agentOf(seed);
        data = abi.encodeCall(validations.validationRequest, (stranger, agentId, "", bytes32(nextId++)));
        if (stranger != owners[agentId] && works(stranger, address(validations), data)) foreignAnswers++;
        // Once more for what was asked already.
        data = abi.encodeCall(validations.validationRequest, (personOf(seed), agentId, "", requestHash));
        if (works(owners[agentId], address(validations), data)) foreignAnswers++;
    }

    function attemptForeignChange(uint256 seed, address stranger) external {
        uint256 agentId = agentOf(seed);
        vm.assume(stranger != owners[agentId]);
        if (works(stranger, address(identities), abi.encodeCall(identities.setAgentURI, (agentId, "mine")))) {
            foreignChanges++;
        }
        if (works(stranger, address(identities), abi.encodeCall(identities.setMetadata, (agentId, "key", "mine")))) {
            foreignChanges++;
        }
        if (works(stranger, address(identities), abi.encodeCall(identities.unsetAgentWallet, (agentId)))) {
            foreignChanges++;
        }
        address owner = owners[agentId];
        if (works(stranger, address(identities), abi.encodeCall(identities.transferFrom, (owner, stranger, agentId)))) {
            foreignChanges++;
        }
    }

    function requireIdentities() external view {
        for (uint256 agentId = 1; agentId <= agentCount; agentId++) {
            vm.assertEq(identities.ownerOf(agentId), owners[agentId], "owner");
            address agentWallet = identities.getAgentWallet(agentId);
            vm.assertTrue(agentWallet == owners[agentId] || agentWallet == address(0), "wallet of the owner or none");
        }
        for (uint256 who = 0; who < PEOPLE; who++) {
            vm.assertEq(identities.agentOf(personOf(who)), firstAgents[personOf(who)], "first agent");
        }
    }

    /// Each feedback is what was given, and each client's average is that of what he gave and did not revoke.
    function requireFeedback() external view {
        for (uint256 index = 0; index < given.length; index++) {
            Given memory each = given[index];
            (int128 value,,,, bool isRevoked) = reputations.readFeedback(each.agentId, each.client, each.index);
            vm.assertTrue(value == each.value && isRevoked == each.isRevoked, "feedback");
            (int256 sum, uint256 count) = sumOf(each.agentId, each.client);
            (uint64 counted, int128 average,) = reputations.getSummary(each.agentId, only(each.client), "", "");
            vm.assertEq(counted, count, "count");
            vm.assertTrue(average == (count == 0 ? int256(0) : sum / int256(count)), "average");
        }
    }

    function requireValidations() external view {
        for (uint256 index = 0; index < requests.length; index++) {
            bytes32 requestHash = requests[index];
            vm.assertEq(validations.validations(requestHash).validatorAddress, validators[requestHash], "validator");
            vm.assertEq(validations.validations(requestHash).response, responses[requestHash], "response");
        }
    }

    function sumOf(uint256 agentId, address client) private view returns (int256 sum, uint256 count) {
        for (uint256 index = 0; index < given.length; index++) {
            Given storage each = given[index];
            if (each.agentId != agentId || each.client != client || each.isRevoked) continue;
            sum += each.value;
            count++;
        }
    }

    function remember(address owner) private {
        owners[++agentCount] = owner;
        if (firstAgents[owner] == 0) firstAgents[owner] = agentCount;
    }

    function note(uint256 agentId, address client, int128 value) private {
        uint64 last = 0;
        for (uint256 index = 0; index < given.length; index++) {
            if (given[index].agentId == agentId && given[index].client == client) last = given[index].index;
        }
        given.push(Given(agentId, client, last + 1, value, false));
    }

    /// An agent, and somebody who does not own it.
    function ratingOf(uint256 seed) private view returns (uint256 agentId, uint256 client) {
        agentId = agentOf(seed);
        client = seed % PEOPLE;
        if (owners[agentId] == personOf(client)) client++;
    }

    function requestOf(uint256 seed) private returns (bytes32) {
        if (requests.length == 0) this.ask(seed, seed);
        return requests[seed % requests.length];
    }

    function agentOf(uint256 seed) private view returns (uint256) {
        return 1 + (seed >> 8) % agentCount;
    }

    function forward(uint256 who, address to, bytes memory data) private returns (bytes memory) {
        SignedCalls.Call memory signedCall = callOf(personOf(who), to, data, bytes32(nextId++));
        bytes memory signature = sign(FIRST_KEY + who % PEOPLE, signedCall);
        sent.push(signedCall);
        signatures.push(signature);
        return send(signedCall, signature);
    }

    function works(address caller, address target, bytes memory data) private returns (bool success) {
        vm.prank(caller);
        (success,) = target.call(data);
    }

    function personOf(uint256 who) private pure returns (address) {
        return vm.addr(FIRST_KEY + who % PEOPLE);
    }
}

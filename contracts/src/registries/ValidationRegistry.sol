// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {IdentityRegistry} from "./IdentityRegistry.sol";

/// What agents ask validators to look at, and what these find, with the interface of ERC-8004.
contract ValidationRegistry is ERC2771Context {
    struct Validation {
        address validatorAddress;
        uint8 response;
        // Tells no answer from one of zero.
        bool isAnswered;
        uint256 agentId;
        bytes32 responseHash;
        string tag;
        uint256 lastUpdate;
    }

    uint8 public constant LARGEST_RESPONSE = 100;

    IdentityRegistry private immutable _identityRegistry;
    mapping(bytes32 requestHash => Validation) private _validations;
    mapping(uint256 agentId => bytes32[]) private _ofAgent;
    mapping(address validator => bytes32[]) private _ofValidator;

    event ValidationRequest(
        address indexed validatorAddress, uint256 indexed agentId, string requestURI, bytes32 indexed requestHash
    );
    event ValidationResponse(
        address indexed validatorAddress,
        uint256 indexed agentId,
        bytes32 indexed requestHash,
        uint8 response,
        string responseURI,
        bytes32 responseHash,
        string tag
    );

    error ValidatorNotAllowed(address validator);
    error RequestExists(bytes32 requestHash);
    error RequestUnknown(bytes32 requestHash);
    error NotAuthorized(address caller, uint256 agentId);
    error NotValidator(address caller);
    error ResponseTooLarge(uint8 response);

    constructor(address trustedForwarder, address identityRegistry) ERC2771Context(trustedForwarder) {
        _identityRegistry = IdentityRegistry(identityRegistry);
    }

    /// By the agent's owner, or by who may act for him. A request hash is used once, by whoever is first.
    function validationRequest(
        address validatorAddress,
        uint256 agentId,
        string calldata requestURI,
        bytes32 requestHash
    ) external {
        if (validatorAddress == address(0)) revert ValidatorNotAllowed(validatorAddress);
        Validation storage validation = _validations[requestHash];
        if (validation.validatorAddress != address(0)) revert RequestExists(requestHash);
        address caller = _msgSender();
        if (!_identityRegistry.isAuthorizedOrOwner(caller, agentId)) revert NotAuthorized(caller, agentId);
        validation.validatorAddress = validatorAddress;
        validation.agentId = agentId;
        validation.lastUpdate = block.timestamp;
        _ofAgent[agentId].push(requestHash);
        _ofValidator[validatorAddress].push(requestHash);
        emit ValidationRequest(validatorAddress, agentId, requestURI, requestHash);
    }

    /// The validator may answer again: the last answer counts.
    function validationResponse(
        bytes32 requestHash,
        uint8 response,
        string calldata responseURI,
        bytes32 responseHash,
        string calldata tag
    ) external {
        Validation storage validation = _find(requestHash);
        if (_msgSender() != validation.validatorAddress) revert NotValidator(_msgSender());
        if (response > LARGEST_RESPONSE) revert ResponseTooLarge(response);
        validation.response = response;
        validation.isAnswered = true;
        validation.responseHash = responseHash;
        validation.tag = tag;
        validation.lastUpdate = block.timestamp;
        emit ValidationResponse(
            validation.validatorAddress, validation.agentId, requestHash, response, responseURI, responseHash, tag
        );
    }

    function getValidationStatus(bytes32 requestHash)
        external
        view
        returns (
            address validatorAddress,
            uint256 agentId,
            uint8 response,
            bytes32 responseHash,
            string memory tag,
            uint256 lastUpdate
        )
    {
        Validation storage found = _find(requestHash);
        return (found.validatorAddress, found.agentId, found.response, found.responseHash, found.tag, found.lastUpdate);
    }

    /// The same and whether it was answered; all zeros for an unknown request.
    function validations(bytes32 requestHash) external view returns (Validation memory) {
        return _validations[requestHash];
    }

    /// The average, rounded down, of the answers of these validators, or of all if none is named, with this tag, or with
    /// any if it is empty.
    function getSummary(uint256 agentId, address[] calldata validatorAddresses, string calldata tag)
        external
        view
        returns (uint64 count, uint8 averageResponse)
    {
        bytes32[] storage requests = _ofAgent[agentId];
        uint256 sum = 0;
        for (uint256 index = 0; index < requests.length; index++) {
            Validation storage found = _validations[requests[index]];
            if (!found.isAnswered || !_isNamed(found.validatorAddress, validatorAddresses)) continue;
            if (bytes(tag).length > 0 && keccak256(bytes(tag)) != keccak256(bytes(found.tag))) continue;
            sum += found.response;
            count++;
        }
        if (count > 0) averageResponse = uint8(sum / count);
    }

    function getAgentValidations(uint256 agentId) external view returns (bytes32[] memory requestHashes) {
        return _ofAgent[agentId];
    }

    function getValidatorRequests(address validatorAddress) external view returns (bytes32[] memory requestHashes) {
        return _ofValidator[validatorAddress];
    }

    function getIdentityRegistry() external view returns (address) {
        return address(_identityRegistry);
    }

    function _find(bytes32 requestHash) private view returns (Validation storage found) {
        found = _validations[requestHash];
        if (found.validatorAddress == address(0)) revert RequestUnknown(requestHash);
    }

    function _isNamed(address validator, address[] calldata named) private pure returns (bool) {
        for (uint256 index = 0; index < named.length; index++) {
            if (named[index] == validator) return true;
        }
        return named.length == 0;
    }
}
